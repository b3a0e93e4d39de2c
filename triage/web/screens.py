"""The pages of the desk: what each shows, from a project to its template, and what its forms do."""

import shutil
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from ..anonymise.check import Certainty
from ..anonymise.grading import Reason as Grade
from ..errors import TriageError, UserError
from ..publish import CORPUS, FORMS, Published
from ..queue import Queue, Reason, Task
from ..safe import HiddenFolder
from ..settings import OfType, StyleName
from ..vocabulary import IdentifierType
from . import homes, names, quality
from . import importing as corpus
from . import publishing as publication
from . import replacing as plans
from .forms import (
    CODES,
    LONGEST_WORD,
    HTTPError,
    Translator,
    malformed,
    one_of,
    share_of,
    translator,
)
from .people import Right
from .project import DAMAGE, LANGUAGES, LONGEST_NAME, Project, damage, projects_in
from .stages import PAGES, Name, address, confirmed, stages, todo_of
from .steps import ORDER, State, Step, left_to_read, needed, states, work
from .visits import Visit

Shown = dict[str, Any]
# What the program has left open is no decision of its own.
_OPEN = "EXPERT"
_MOST_SPELLINGS = 50
_LAST_DONE = 20
_READ_BY = (
    *("text_column", "id_column", "sender_column", "date_column"),
    *("format", "encoding", "separator", "sheet", "table"),
)
_GRADES = {grade.value: grade.name for grade in Grade}
_SURE = (Certainty.CERTAIN, Certainty.UNDECIDED, Certainty.ADDED)


# Outside of a project


def projects(visit: Visit, problem: str = "") -> Response:
    """Show the projects, and how a new one begins."""
    _ = visit.person
    seen = (one for one in projects_in(visit.desk.home) if visit.rights_in(one.name))
    shown = {"projects": [*map(homes.card, seen)], "problem": problem}
    return visit.page("home", shown | {"reach": visit.desk.reach, "folder": visit.desk.home})


def new(visit: Visit) -> Response:
    """Make a project of a file on this machine."""
    path = Path(visit.form.text("path").strip()).expanduser()
    return _made(visit, lambda: homes.create(visit.desk.home, path, visit.form.text("name", "")))


def sample(visit: Visit) -> Response:
    return _made(visit, lambda: homes.create_sample(visit.desk.home))


def _made(visit: Visit, make: Callable[[], Project]) -> Response:
    try:
        return RedirectResponse(_first_page(make()), 303)
    except UserError as error:
        return projects(visit, visit.t.problem(error))


def upload(visit: Visit, file: Path) -> str:
    return _first_page(homes.create(visit.desk.home, file))


def _first_page(project: Project) -> str:
    """Return where a project opens: a new one at its columns, one that was brought as it was."""
    return address(project, "import" if todo_of(project)[0] is Name.IMPORT else "")


# A project


def current(visit: Visit) -> Response:
    """Go to what is next in a project for who asks."""
    try:
        rail, todo = stages(visit.project, visit.t, visit.rights, "", visit.person)
    except DAMAGE:
        return visit.see("project")
    href = todo.href or next(stage.href for stage in rail if stage.href)
    return RedirectResponse(href, 303)


def progress(visit: Visit) -> Response:
    """Tell how far the work is that is running."""
    job, t = visit.job, visit.t
    if job is None or not job.is_running:
        return JSONResponse({"running": False})
    share, left = job.look()
    said = t("time_left", time=t.duration(left)) if left is not None else ""
    step = t(f"desk.step.{job.step}") + "…"
    return JSONResponse({"running": True, "share": share, "step": step, "left": said})


def run(visit: Visit) -> Response:
    """Start the steps up to one, where they have failed or were cancelled before."""
    step, back = visit.form.choice("step", Step), visit.form.text("back", "")
    return visit.start((step,) if step is Step.CLASSIFY else needed(visit.project, step), back)


def cancel(visit: Visit) -> Response:
    back = visit.form.text("back", "")
    visit.desk.jobs.cancel(visit.project)
    return visit.see(back if back in PAGES else "")


def overview(visit: Visit, problem: str = "") -> Response:
    """Show what was done in a project, the commands that do the same, and what its owner may do."""
    project = visit.project
    shown: Shown = {"history": [], "commands": [], "changes": []}
    try:
        done = [one for one in project.history() if one.get("what") == "step"]
        shown = {
            "changes": homes.changes(project),
            "commands": [
                *(work(project, step).shown for step in ORDER),
                publication.publishing(project, ()).shown,
            ],
            "history": done[-_LAST_DONE:],
        }
    except DAMAGE as error:
        problem = visit.t.problem(damage(project, error))
    shown |= {"held": homes.held(project), "may_be_replaced": homes.may_be_replaced(project)}
    return visit.page("project", shown | {"problem": problem})


def rename(visit: Visit) -> Response:
    title = visit.form.text("title").strip()
    if title:
        visit.project.change(name=title[:LONGEST_NAME])
    return visit.see("project")


def extend(visit: Visit, file: Path) -> str:
    """Add the messages of a file."""
    n = homes.extend(visit.project, file, visit.person)
    visit.session.say("project.extended", messages=visit.t.count("messages", n))
    return address(visit.project, "project")


def replace_file(visit: Visit, file: Path) -> str:
    """Put a file in the place of the original."""
    homes.replace_file(visit.project, file, visit.person)
    _forget(visit)
    return address(visit.project, "import")


def delete(visit: Visit) -> Response:
    """Delete a project whose name was typed."""
    visit.check_rest()
    project = visit.project
    if visit.form.text("title").strip() != project.title:
        return overview(visit, visit.t("project.not_typed"))
    visit.session.say("project.deleted", name=project.title)
    visit.desk.people.remove(project.name)
    _forget(visit)
    homes.delete(project)
    return RedirectResponse("/", 303)


def _forget(visit: Visit) -> None:
    """Forget the readers of a queue that is no more."""
    readers, name = visit.desk.readers, visit.project.name
    visit.desk.readers = {at: one for at, one in readers.items() if at[0] != name}


def move(visit: Visit) -> Response:
    """Return the whole project as an archive."""
    visit.check_rest()
    return _sent_once(visit.desk.home, partial(homes.pack, visit.project))


def _sent_once(home: Path, make: Callable[[Path], Path]) -> Response:
    """Return a file that is made in a folder of its own, and removed when it was sent."""
    folder = HiddenFolder(home)
    try:
        path = make(folder.path)
    except BaseException:
        folder.remove()
        raise
    end = BackgroundTask(folder.remove)
    kind = "attachment"
    return FileResponse(path, filename=path.name, content_disposition_type=kind, background=end)


# People


def accounts(visit: Visit, problem: str = "") -> Response:
    """Show who may open a project, and a link that was just made, once."""
    people = visit.desk.people
    shown = {"accounts": people.of(visit.project.name), "owner": people.owner, "rights": [*Right]}
    link, visit.session.link = visit.session.link, None
    return visit.page("people", shown | {"problem": problem, "link": link})


def add_account(visit: Visit) -> Response:
    """Add an account, or make another link."""
    form, request = visit.form, visit.request
    rights = [Right(one_of(right, Right)) for right in form.all("right")] or [Right.READ]
    name, until = form.text("name"), form.text("until", "")
    try:
        date.fromisoformat(until or "2000-01-01")
        token = visit.desk.people.add(visit.project.name, name, rights, until)
    except UserError as error:
        return accounts(visit, visit.t.problem(error))
    except ValueError:
        malformed()
    link = f"{request.url.scheme}://{request.headers['host']}/?token={token}"
    visit.session.link = (name, link)
    return visit.see("people")


def remove_account(visit: Visit) -> Response:
    visit.desk.people.remove(visit.project.name, visit.form.text("name"))
    return visit.see("people")


# Import


def importing(visit: Visit, problem: UserError | None = None) -> Response:
    """Show how the file is read."""
    project = visit.project
    found = corpus.preview(project)
    shown = {
        "preview": found,
        "settings": project.settings,
        "problem": problem or corpus.problem_of(found),
        "ways": corpus.ways(found, project.settings, visit.t),
        "command": work(project, Step.CLASSIFY).shown,
    }
    return _stage(visit, "import", shown)


def choose_columns(visit: Visit) -> Response:
    """Keep how the file is read, if it can be read so."""
    project, form, before = visit.project, visit.form, visit.project.settings
    said = {name: form.text(name, "").strip() or None for name in _READ_BY}
    reading = replace(before.reading, **said, no_header=bool(form.text("no_header", "")))
    language, is_look = form.text("language", ""), bool(form.text("look", ""))
    if language not in LANGUAGES:
        malformed()
    settings = replace(before, reading=reading, language=language)
    if problem := corpus.problem_of(corpus.preview(project, settings)):
        return importing(visit, problem)
    project.write(settings)
    if reading != before.reading:
        project.note("reread")
    if not is_look:
        project.note("confirmed", stage=Name.IMPORT.value, by=visit.person)
    return visit.see("import" if is_look else "read")


def _stage(visit: Visit, name: str, shown: Shown) -> Response:
    """Return the page of a stage, which is the first to show what came of its steps."""
    job = visit.job
    if job and job.is_done and not (job.is_running or job.is_shown):
        job.is_shown = True
        # A check that was waited for here and left nothing to look at.
        is_clear = name == Name.VERIFY and not (shown["spellings"] or shown["is_locked"])
        if is_clear and Right.PUBLISH in visit.rights:
            return visit.see(Name.PUBLISH)
    return visit.page(name, shown)


# Read


def bounds(visit: Visit) -> Response:
    """Show the bounds of the triage, what each asks of people, and how far they are."""
    visit.bring_up_to(Step.QUEUE)
    project, t = visit.project, visit.t
    counts, (rows, is_exact) = corpus.counts(project), corpus.bounds(project)
    up_to = bisect_right([one.bound for one in rows], project.settings.max_residue)
    to_read, texts, queue = counts.get(_OPEN, 0), "", None
    if project.queue.exists():
        with Queue.open(project.queue) as opened:
            status = opened.status()
        by_program = sum(n for action, n in counts.items() if action != _OPEN)
        deciders = _bars({t("desk.the_program"): by_program} | dict(status.annotators))
        queue = {"status": status, "deciders": deciders}
        texts = t.texts(status.items - status.items_final, status.messages_waiting)
        to_read = left_to_read(project)
    seconds, is_measured = corpus.pace(project)
    shown = {
        "settings": project.settings,
        "state": states(project)[Step.CLASSIFY],
        "commands": (
            *(work(project, step).shown for step in (Step.CLASSIFY, Step.QUEUE)),
            f"triage workload {project.relative(project.triaged)}",
        ),
        "counts": counts,
        "total": sum(counts.values()),
        "to_read": to_read,
        "texts": texts or t.count("messages", to_read),
        "time": t.duration(to_read * seconds),
        "bounds": rows,
        "is_exact": is_exact,
        "n_read": [t.texts(one.to_read, one.expert) for one in rows],
        "times": [t.duration(one.to_read * seconds) for one in rows],
        "seconds": seconds,
        "is_measured": is_measured,
        # Of a bound between two, the smaller one, which asks more.
        "chosen": max(0, up_to - 1),
        "queue": queue,
    }
    return _stage(visit, "read", shown)


def _bars(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def choose_bounds(visit: Visit) -> Response:
    project, form = visit.project, visit.form
    residue = share_of(form.text("max_residue"))
    double = share_of(form.text("double", "0") or "0", or_none=True)
    if project.queue.exists() and double != project.settings.double:
        with Queue.open(project.queue) as queue:
            queue.double(double)
    project.change(max_residue=residue, double=double)
    return visit.start((Step.CLASSIFY, Step.QUEUE), Name.READ)


def keep_double(project: Project, share: float) -> None:
    project.change(double=share)


def hand_over_held(project: Project, queue: Queue) -> None:
    # What is held back on the decisions as they stand was answered in vain.
    as_it_stands = states(project)[Step.ANONYMISE] is State.DONE
    queue.add_items(plans.tasks_of_held(project), again=as_it_stands)


# Replace


def replacing(visit: Visit) -> Response:
    """Show the plan, the styles on messages of the corpus, and what was held back."""
    visit.bring_up_to(Step.ANONYMISE)
    project, t = visit.project, visit.t
    problem, plan = plans.plan_or_default(project)
    found = corpus.preview(project)
    is_confirmed = Name.REPLACE in confirmed(project)
    if not (problem or is_confirmed):
        plan = plans.first_plan(plan, found)
    record = publication.record_of(project.anonymised)
    replaced: Counter[str] = Counter()
    for one in record["replaced"] if record else ():
        label = f"{one['type']} {t.known('type.' + one['type'], '')}".strip()
        replaced[label] += one["identifiers"]
    shown = {
        "problem": problem,
        "plan": plan,
        "cards": plans.style_cards(project),
        "treatments": [*OfType],
        "columns": plans.chosen_columns(plan, found),
        "searched": found["searched"],
        "is_confirmed": is_confirmed,
        "types_found": _bars(replaced),
        "n_held": len(plans.held_of(project)),
        "held": plans.held_back(project),
        "state": states(project)[Step.ANONYMISE],
        "command": work(project, Step.ANONYMISE).shown,
    }
    return _stage(visit, "replace", shown)


def choose_plan(visit: Visit) -> Response:
    """Keep the style, the types and the columns, which somebody has confirmed by that."""
    project, form = visit.project, visit.form
    # A choice stands before the name of its column, which may hold anything.
    becomes = (one.partition(" ") for one in form.all("becomes"))
    types = {kind: form.choice(f"type_{kind}", OfType) for kind in IdentifierType}
    with suppress(TriageError):
        said = {name: choice for choice, _, name in becomes}
        plan = plans.with_columns(plans.plan_of(project), corpus.preview(project), said)
        treatment = replace(plan.treatment, style=form.choice("style", StyleName))
        plan = replace(plan, treatment=treatment, types={**plan.types, **types})
        plans.keep_plan(project, plan)
        project.note("confirmed", stage=Name.REPLACE.value, by=visit.person)
    return visit.start(needed(project, Step.ANONYMISE), Name.REPLACE)


def naming(visit: Visit) -> Response:
    """Show what the spellings of the corpus stand for."""
    view = names.View.parse(visit.request.query_params.get)
    visit.bring_up_to(Step.NAMES)
    return _names(visit, view)


def _names(visit: Visit, view: names.View, problem: str = "") -> Response:
    project = visit.project
    shown = names.names_page(project, view, visit.session.names) | {
        "problem": problem,
        "may_make": states(project)[Step.ANONYMISE] is not State.LOCKED,
        "command": work(project, Step.NAMES).shown,
    }
    return visit.page("names", shown)


def change_name(visit: Visit) -> Response:
    """Change an entity or one of its spellings, or search: no address holds what is sought."""
    project, form = visit.project, visit.form
    view = names.View.parse(form.text)
    if form.has("search"):
        visit.session.names = form.text("search").strip()[:LONGEST_WORD]
        return visit.see("replace/names", view.link(offset=0))
    change, value = form.choice("change", names.Change), form.text("value", "")
    if change is names.Change.TYPE:
        one_of(value, IdentifierType)
    number, seen = form.integer("number"), form.text("seen")
    try:
        table = names.changed(names.table_of(project), change, number, seen, value)
    except TriageError as error:
        return _names(visit, view, visit.t.problem(error))
    names.keep_table(project, table)
    return visit.see("replace/names", view.link())


# Verify


def sampling(visit: Visit) -> Response:
    """Show the sample that a person reads, and what it says so far."""
    visit.bring_up_to(Step.CHECK)
    return _stage(visit, "sample", _sampled(visit.project, visit.t))


def _sampled(project: Project, t: Translator) -> Shown:
    drawn = quality.read(project)
    is_outdated = drawn is not None and quality.is_outdated(project, drawn)
    row = drawn.left[0] if drawn and drawn.left and not is_outdated else 0
    return {
        "sample": drawn,
        "bounds": [(one, t.decimal(one * 100), n) for one, n in quality.bounds(project)],
        "may_begin": states(project)[Step.APPLY] is State.DONE,
        "row": row,
        "half": "released" if drawn and row in drawn.rows[quality.Stratum.RELEASED] else "tagged",
        "text": quality.text_of(project, drawn, row) if drawn and row else "",
        "is_outdated": is_outdated,
        "measured": quality.measured(drawn) if drawn and not is_outdated else None,
        "open_leaks": quality.open_leaks(project),
    }


def begin_sample(visit: Visit) -> Response:
    bound = visit.form.text("bound")
    if bound not in (str(one) for one, _ in quality.bounds(visit.project)):
        raise HTTPError(409, "error.stale")
    quality.begin(visit.project, float(bound))
    return visit.see("verify/sample")


def answer_sample(visit: Visit) -> Response:
    """Record the answer to a message of the sample, or take the last one back."""
    project, form = visit.project, visit.form
    said, row = form.text("said"), form.integer("row")
    drawn = quality.read(project)
    if drawn is None or said not in ("yes", "no", "back"):
        malformed()
    if said == "back" and drawn.answers:
        row = [*drawn.answers][-1]
    if row not in drawn.all_rows:
        raise HTTPError(409, "error.stale")
    drawn = quality.answered(drawn, row, None if said == "back" else said == "yes")
    quality.keep(project, drawn)
    if row in drawn.leaks and project.queue.exists():
        with Queue.open(project.queue) as queue:
            queue.add_items([Task(Reason.LEAK, row=row)])
    return visit.see("verify/sample")


def checking(visit: Visit) -> Response:
    """Show what the check found, by spelling, the surest first, and what the sample says."""
    visit.bring_up_to(Step.CHECK)
    return _stage(visit, "verify", _checked(visit.project, visit.t))


def _checked(project: Project, t: Translator) -> Shown:
    found = publication.checked(project)
    spellings = _spellings(found["left"]) if found else []
    lock = publication.lock(project)
    return _sampled(project, t) | {
        "is_confirmed": Name.REPLACE in confirmed(project),
        "found": found,
        "n_sure": sum(len(one["places"]) for one in spellings if one["certainty"] in _SURE),
        "spellings": spellings[:_MOST_SPELLINGS],
        "more": max(0, len(spellings) - _MOST_SPELLINGS),
        "state": states(project)[Step.CHECK],
        "lock": lock,
        "is_locked": bool(lock.steps or lock.asks_why),
        "command": work(project, Step.CHECK).shown,
    }


def _spellings(left: Sequence[Mapping[str, Any]]) -> list[Shown]:
    """Return findings by what was found, the most certain and most frequent first."""
    by: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for one in left:
        by.setdefault((one["certainty"], one["text"].casefold(), one["reason"]), []).append(one)
    found = [
        {
            "certainty": certainty,
            "text": places[0]["text"],
            "reason": _GRADES.get(reason),
            "places": places,
        }
        for (certainty, _, reason), places in by.items()
    ]
    order = [certainty.value for certainty in Certainty]
    return sorted(found, key=lambda one: (order.index(one["certainty"]), -len(one["places"])))


# Publish


def publishing(visit: Visit) -> Response:
    """Show what may be shared, what stands against it, and what must never be."""
    visit.bring_up_to(Step.CHECK)
    project, shown = visit.project, _checked(visit.project, visit.t)
    _, plan = plans.plan_or_default(project)
    chosen = [Published(one) for one in project.settings.formats if one in [*Published]]
    command = publication.publishing(project, chosen, hold=bool(shown["lock"].left_out))
    shown |= {
        "left": left_to_read(project),
        "held": Counter(one.reason.value for one in plans.held_of(project)),
        "published": publication.published(project),
        "is_current": publication.is_current(project),
        "secrets": publication.secrets(project),
        "formats": FORMS,
        "chosen": chosen,
        "is_surrogate": (plan.treatment.style or StyleName.TAG) is StyleName.SURROGATE,
        "folder": project.folder,
        "methods": [(code, methods(project, translator(code))) for code in CODES],
        "commands": [command.shown],
    }
    return _stage(visit, "publish", shown)


def publish(visit: Visit) -> Response:
    """Publish, if nothing stands against it or a person says why all the same."""
    project, form = visit.project, visit.form
    why, hold = form.text("why", "").strip(), bool(form.text("hold", ""))
    lock = publication.lock(project)
    if not lock.opens(hold=hold, why=why):
        raise HTTPError(409, "error.locked")
    formats = [Published(one_of(value, Published)) for value in form.all("format")]
    project.change(formats=tuple(formats))
    doing = publication.publishing(project, formats, hold=hold, why=why)
    doing = replace(doing, facts={"why": why, "against": lock.told()})
    return visit.start((Step.PUBLISH,), Name.PUBLISH, doing)


def published(visit: Visit) -> Response:
    project, name = visit.project, visit.request.path_params["name"]
    if name not in {one.name for one in publication.published(project)}:
        raise HTTPError(404, "error.gone")
    path = project.published / name
    if path.is_dir():
        packed = partial(shutil.make_archive, root_dir=path.parent, base_dir=name)
        return _sent_once(visit.desk.home, lambda to: Path(packed(str(to / name), "zip")))
    return FileResponse(path, filename=name, content_disposition_type="attachment")


def methods(project: Project, t: Translator) -> str:
    """Return a paragraph for the methods section of an article, on what is published."""
    record = publication.record_of(project.published / CORPUS)
    if record is None:
        return ""
    machine, people = (record["decisions"][f"by_{by}"] for by in ("machine", "people"))
    replaced = record["replaced"]
    kinds = t.count("methods.types", len({one["type"] for one in replaced}))
    n_held = sum(one["held_back"] for one in record["held"])
    said = [
        t(
            "methods.program",
            rows=t.count("messages", record["input"]["rows"]),
            version=record["program"]["sms-triage"],
            machine=t.number(sum(n for action, n in machine.items() if action != _OPEN)),
            residue=t.decimal(project.settings.max_residue * 100),
        ),
        t.count("methods.people", sum(people.values())) if sum(people.values()) else "",
        t.count("methods.replaced", sum(one["identifiers"] for one in replaced), types=kinds),
        t(f"methods.style.{record['options']['style']}"),
        *(_methods_of_sample(project, t) if publication.is_current(project) else ()),
        t.count("methods.held", n_held) if n_held else "",
        t.count("methods.published", record["output"]["rows"]),
    ]
    return " ".join(filter(None, said))


def _methods_of_sample(project: Project, t: Translator) -> list[str]:
    """Return what the sample of the present state says, with what became of its leaks."""
    drawn = quality.read(project)
    if drawn is None or quality.is_outdated(project, drawn):
        return []
    found, n_open = quality.measured(drawn), quality.open_leaks(project)
    if not found.read:
        return []
    read, of, share = t.number(found.read), t.number(found.of), t.decimal(found.at_most * 100)
    corrected = found.found - n_open
    return [
        t.count("methods.sample", found.found, read=read, of=of, share=share),
        t.count("methods.corrected", corrected) if corrected > 0 else "",
        t.count("methods.uncorrected", n_open) if n_open else "",
    ]
