-- What version 2 of the tables adds to those of version 1: conversations, and notes on items.

ALTER TABLE messages ADD COLUMN thread TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN sent TEXT NOT NULL DEFAULT '';
CREATE INDEX messages_of_thread ON messages (thread, sent, message);

CREATE TABLE notes (
    note INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    annotator TEXT NOT NULL,
    item INTEGER NOT NULL REFERENCES items (item),
    text TEXT NOT NULL,
    asks INTEGER NOT NULL
);
CREATE INDEX notes_of_item ON notes (item, annotator, note);

CREATE TRIGGER notes_stay BEFORE UPDATE ON notes
BEGIN SELECT RAISE(ABORT, 'a note is never changed'); END;
CREATE TRIGGER notes_remain BEFORE DELETE ON notes
BEGIN SELECT RAISE(ABORT, 'a note is never deleted'); END;
CREATE TRIGGER notes_are_new BEFORE INSERT ON notes
WHEN EXISTS (SELECT 1 FROM notes WHERE note = NEW.note)
BEGIN SELECT RAISE(ABORT, 'a note is never changed'); END;
