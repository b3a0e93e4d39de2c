"""The application: the pages of the desk, what their forms do, their routes, and serving them."""

import shutil
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from datetime import date
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Unpack

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from ..anonymise.plan import plan_text
from ..anonymise.record import read_record
from ..errors import TriageError, UserError
from ..publish import Published
from ..queue import Queue, Reason, Task
from ..safe import hidden_folder, remove_stale, write_file
from ..settings import OfType, Reading, StyleName
from ..vocabulary import IdentifierType
from . import homes, importing, publishing, quality, replacing, stages
from .pages import LONGEST_WORD, HTTPError, environment, malformed, one_of
from .people import Right
from .project import DAMAGE, LANGUAGES, LONGEST_NAME, Project, damage, projects_in
from .reading import READER, Review
from .server import Listening, router, serve_app
from .stages import Name, State, Step, address, opened_by
from .visits import OWNER, Desk, Screen, Visit, respond, route_of_file, routes_of

# What templates ask.
environment().globals.update(
    homes=homes, importing=importing, publishing=publishing, quality=quality, replacing=replacing
)
_READ_BY = tuple(one.name for one in fields(Reading) if one.name != "no_header")


def projects(visit: Visit, problem: str = "") -> Response:
    rights = {one: visit.rights_in(one.name) for one in projects_in(visit.desk.home)}
    cards = [homes.card(one, visit.t, held, visit.person) for one, held in rights.items() if held]
    return visit.page("home", {"projects": cards, "problem": problem})


def new(visit: Visit) -> Response:
    form = visit.form
    with as_file(files("triage.data") / "sample_fr.csv") as sample:
        path = sample if "sample" in form else Path(form.text("path").strip()).expanduser()
        try:
            project = homes.create(visit.desk.home, path, form.text("name", ""))
        except UserError as error:
            return projects(visit, visit.t.problem(error))
    return RedirectResponse(address(project), 303)


def current(visit: Visit) -> Response:
    """Go to what is next in a project for who asks."""
    try:
        todo, rail = visit.standing.todo(visit.t, ""), visit.standing.rail(visit.t, "")
    except DAMAGE:
        return visit.go("project")
    return RedirectResponse(todo.href or next(stage.href for stage in rail if stage.href), 303)


def progress(visit: Visit) -> Response:
    job, t = visit.job, visit.t
    if job is None or not job.is_running:
        return JSONResponse({"running": ""})
    share, seconds = job.look()
    remaining = t("time_left", time=t.duration(seconds)) if seconds is not None else ""
    step = t(f"desk.step.{job.step}") + "…"
    return JSONResponse({"running": job.stage, "share": share, "step": step, "left": remaining})


def run(visit: Visit) -> Response:
    """Start the steps up to one, where they have failed or were cancelled before."""
    step, back = visit.form.choice("step", Step), visit.form.text("back", "")
    if step is Step.PUBLISH:
        malformed()
    steps = (step,) if step is Step.CLASSIFY else visit.standing.needed(step)
    return visit.start(steps, back)


def cancel(visit: Visit) -> Response:
    if visit.job:
        visit.job.cancel()
    return visit.start((), visit.form.text("back", ""))


def overview(visit: Visit) -> Response:
    project, problem = visit.project, ""
    values: dict[str, Any] = {"history": [], "commands": [], "changes": []}
    try:
        steps = [one for one in project.history() if one.get("what") in ("step", "extended")]
        values = {
            "changes": homes.changes(project),
            "commands": [visit.command(step) for step in (*stages.ORDER, Step.PUBLISH)],
            "history": steps[-20:],
        }
    except DAMAGE as error:
        problem = visit.t.problem(damage(project, error))
    return visit.page("project", values | {"problem": problem})


def rename(visit: Visit) -> Response:
    if title := visit.form.text("title").strip():
        visit.project.change(name=title[:LONGEST_NAME])
    return visit.go("project")


def extend(visit: Visit, file: Path) -> str:
    try:
        return _extended(visit, file)
    except UserError as error:
        if error.key not in homes.UNLIKE:
            raise
        homes.put_aside(visit.project, file)
        return address(visit.project, "project/columns")


def _extended(visit: Visit, file: Path, chosen: Sequence[str] = ()) -> str:
    with homes.ADDING:
        n = homes.extend(visit.project, file, visit.person, chosen)
    visit.session.say("project.extended", messages=visit.t.count("messages", n))
    return address(visit.project, "project")


def added_columns(visit: Visit, problem: str = "") -> Response:
    if not (file := homes.put_aside_in(visit.project)):
        return visit.go("project")
    preview = visit.project.figure("added", importing.checked_preview, file)
    return visit.page("extend", {"file": file, "preview": preview, "problem": problem})


def choose_added(visit: Visit) -> Response:
    """Add the messages of a file of another layout, of which somebody has chosen the columns."""
    visit.check_rest()
    if not (file := homes.put_aside_in(visit.project)):
        return visit.go("project")
    try:
        page = _extended(visit, file, visit.form.getlist("column"))
    except UserError as error:
        return added_columns(visit, visit.t.problem(error))
    shutil.rmtree(file.parent)
    return RedirectResponse(page, 303)


def replace_file(visit: Visit, file: Path) -> str:
    homes.replace_file(visit.project, file, visit.person)
    visit.desk.forget(visit.project)
    return address(visit.project, "import")


def delete(visit: Visit) -> Response:
    visit.check_rest()
    project = visit.project
    session = visit.session.outside or visit.session
    if visit.form.text("title").strip() != project.title:
        visit.session.say("error.not_typed")
        return visit.go("project")
    session.say("project.deleted", name=project.title)
    session.projects.pop(project.name, None)
    visit.desk.people.remove(project.name)
    visit.desk.forget(project)
    # What is begun is ended by the next server.
    with hidden_folder(project.folder.parent) as hidden:
        project.folder.rename(hidden / project.name)
    return RedirectResponse("/", 303)


def move(visit: Visit) -> Response:
    visit.check_rest()
    return _sent_once(visit.desk.home, partial(homes.pack, visit.project))


def _sent_once(home: Path, make: Callable[[Path], Path]) -> Response:
    """Return a file that is made in a folder of its own, and removed when it was sent."""
    with ExitStack() as stack:
        path = make(stack.enter_context(hidden_folder(home)))
        end = BackgroundTask(stack.pop_all().close)
    return FileResponse(path, filename=path.name, background=end)


def accounts(visit: Visit, problem: str = "") -> Response:
    link, visit.session.link = visit.session.link, None
    return visit.page("people", {"problem": problem, "link": link})


def change_account(visit: Visit) -> Response:
    """Add an account, give it another link, or remove it."""
    form, request = visit.form, visit.request
    # No name would mean all accounts.
    if removed := form.text("removed", ""):
        visit.desk.people.remove(visit.project.name, removed)
        return visit.go("people")
    rights = [one_of(right, Right) for right in form.getlist("right")] or [Right.READ]
    name, until, is_new = form.text("name"), form.text("until", ""), form.text("is_new", "") != ""
    try:
        date.fromisoformat(until or "2000-01-01")
        token = visit.desk.people.add(visit.project.name, name, rights, until, is_new=is_new)
    except UserError as error:
        return accounts(visit, visit.t.problem(error))
    except ValueError:
        malformed()
    link = f"{request.url.scheme}://{request.headers['host']}/?token={token}"
    visit.session.link = (name, link)
    return visit.go("people")


def columns(visit: Visit, problem: UserError | None = None) -> Response:
    preview = importing.preview(visit.project)
    problem = problem or importing.problem_of(preview)
    return visit.page("import", {"preview": preview, "problem": problem})


def choose_columns(visit: Visit) -> Response:
    project, form, old = visit.project, visit.form, visit.project.settings
    options = {name: form.text(name, "").strip() or None for name in _READ_BY}
    reading = replace(old.reading, **options, no_header=bool(form.text("no_header", "")))
    language, is_preview = form.text("language", ""), bool(form.text("preview", ""))
    if language not in LANGUAGES:
        malformed()
    settings = replace(old, reading=reading, language=language)
    if problem := importing.problem_of(importing.preview(project, settings)):
        return columns(visit, problem)
    project.write(settings)
    if reading != old.reading:
        project.note("reread")
    if not is_preview:
        project.note("confirmed", stage=Name.IMPORT.value, by=visit.person)
    return visit.go("import" if is_preview else "read")


def bounds(visit: Visit) -> Response:
    visit.bring_up_to(Step.QUEUE)
    return visit.page("read", importing.bounds(visit.project))


def choose_bounds(visit: Visit) -> Response:
    project, form = visit.project, visit.form
    residue, double = form.share("max_residue"), form.share("double", or_none=True)
    is_doubled = project.queue.exists() and double != project.settings.double
    if is_doubled:
        with Queue.open(project.queue) as queue:
            queue.double(double)
    project.change(max_residue=residue, double=double)
    # Nothing is sorted anew for what two people read.
    is_sorted = is_doubled and visit.standing.states[Step.QUEUE] is State.DONE
    return visit.start(() if is_sorted else (Step.CLASSIFY, Step.QUEUE), Name.READ)


def plan(visit: Visit) -> Response:
    visit.bring_up_to(Step.ANONYMISE)
    project, t, job = visit.project, visit.t, visit.job
    if job and not job.is_running and not project.cached("styles").read():
        # Its process works the first examples out.
        job.join()
    problem, plan = replacing.plan_of(project)
    preview = importing.preview(project)
    if not (problem or visit.is_confirmed):
        plan = replacing.first_plan(plan, preview)
    record = read_record(str(project.anonymised))
    replaced: Counter[str] = Counter()
    for one in record["replaced"] if record else ():
        label = f"{one['type']} {t.known('type.' + one['type'], '')}".strip()
        replaced[label] += one["identifiers"]
    values = {"problem": problem, "plan": plan, "found": preview, "types_found": replaced}
    return visit.page("replace", values)


def choose_plan(visit: Visit) -> Response:
    project, form = visit.project, visit.form
    # A choice stands before the name of its column, which may hold anything.
    becomes = (one.partition(" ") for one in form.getlist("becomes"))
    types = {kind: form.choice(f"type_{kind}", OfType) for kind in IdentifierType}
    problem, plan = replacing.plan_of(project)
    if not problem:
        choices = {name: choice for choice, _, name in becomes}
        plan = replacing.with_columns(plan, importing.preview(project), choices)
        treatment = replace(plan.treatment, style=form.choice("style", StyleName))
        if treatment.style is not plan.treatment.style:
            replacing.by_style_again(project)
        plan = replace(plan, treatment=treatment, types={**plan.types, **types})
        write_file(project.plan, plan_text(plan).encode(), private=True, overwrite=True)
        project.note("confirmed", stage=Name.REPLACE.value, by=visit.person)
    return visit.start(visit.standing.needed(Step.ANONYMISE), Name.REPLACE)


def decide_held(visit: Visit) -> Response:
    """Give people the messages that are held back, to decide them rather than leave them out."""
    # What is held back on the decisions as they stand was answered in vain.
    is_vain = visit.standing.states[Step.ANONYMISE] is State.DONE
    tasks = [Task(Reason.HELD, row=row) for row, _ in replacing.held_rows(visit.project)]
    with Queue.open(visit.project.queue) as queue:
        queue.add_items(tasks, again=is_vain)
    return visit.go(f"read/only/{Reason.HELD}" if Right.READ in visit.rights else "replace")


def naming(visit: Visit, problem: str = "") -> Response:
    value_of = visit.form.text if problem else visit.request.query_params.get
    view = replacing.View.parse(value_of)
    if not problem:
        visit.bring_up_to(Step.NAMES)
    values = replacing.names_page(visit.project, view, visit.session.searches)
    values |= {"is_old": Step.NAMES in visit.standing.needed(Step.NAMES)}
    return visit.page("names", values | {"problem": problem})


def change_name(visit: Visit) -> Response:
    """Change an entity or one of its spellings, or search: no address holds what is sought."""
    form = visit.form
    view = replacing.View.parse(form.text)
    if "search" in form:
        search = visit.session.number_of(form.text("search").strip()[:LONGEST_WORD])
        return visit.go("replace/names", view.link(sought=search, offset=0))
    change, value = form.choice("change", replacing.Change), form.text("value", "")
    if change is replacing.Change.TYPE:
        form.choice("value", IdentifierType)
    number, seen = form.integer("number"), form.text("seen")
    try:
        replacing.change_name(visit.project, change, number, seen, value)
    except TriageError as error:
        return naming(visit, visit.t.problem(error))
    return visit.go("replace/names", view.link())


def checking(visit: Visit, name: str) -> Response:
    """Show what the check found, what the sample says, and what stands against publishing."""
    visit.bring_up_to(Step.CHECK)
    record = read_record(str(visit.project.corpus)) if name == Name.PUBLISH else None
    return visit.page(name, {"record": record, **quality.sampled(visit.project)})


def begin_sample(visit: Visit) -> Response:
    bound = visit.form.text("bound")
    if bound not in (str(one) for one, _ in quality.bounds(visit.project)):
        raise HTTPError(409, "error.stale")
    with quality.LOCK:
        quality.begin(visit.project, float(bound))
    return visit.go("verify/sample")


def answer_sample(visit: Visit) -> Response:
    project, form, answers = visit.project, visit.form, {"yes": True, "no": False, "back": None}
    said, row = form.text("said"), form.integer("row")
    with quality.LOCK:
        drawn = quality.read(project)
        if drawn is None or said not in answers:
            malformed()
        if row in drawn.answers and drawn.answers[row] is not answers[said]:
            # Another tab has answered it meanwhile.
            visit.session.say("error.stale")
            return visit.go("verify/sample")
        rows = drawn.all_rows
        if said == "back":
            row = next((one for one in [*drawn.answers][::-1] if one in rows), row)
        if row not in rows:
            raise HTTPError(409, "error.stale")
        drawn = quality.answered(drawn, row, answers[said])
        quality.keep(project, drawn)
    if row in drawn.leaks and project.queue.exists():
        with Queue.open(project.queue) as queue:
            queue.add_items([Task(Reason.LEAK, row=row)])
    return visit.go("verify/sample")


def begin_publishing(visit: Visit) -> Response:
    """Publish, if nothing stands against it or a person says why all the same."""
    project, form = visit.project, visit.form
    why, hold = form.text("why", "").strip(), bool(form.text("hold", ""))
    lock = visit.standing.against
    is_open = lock and not visit.standing.asks_why and (hold or not lock["left_out"])
    if lock is None or not (why or is_open):
        raise HTTPError(409, "desk.locked")
    formats = [one_of(value, Published) for value in form.getlist("format")]
    project.change(formats=tuple(formats))
    step_work = stages.work(project, Step.PUBLISH, formats, hold=hold, why=why)
    facts: dict[str, object] = {"why": why, "against": {key: n for key, n in lock.items() if n}}
    return visit.start((Step.PUBLISH,), Name.PUBLISH, step_work._replace(facts=facts))


def published(visit: Visit) -> Response:
    project, name = visit.project, visit.request.path_params["name"]
    if name not in {one["name"] for one in publishing.published(project)}:
        raise HTTPError(404, "error.gone")
    path = project.published / name
    if path.is_dir():
        packed = partial(shutil.make_archive, root_dir=path.parent, base_dir=name)
        return _sent_once(visit.desk.home, lambda to: Path(packed(str(to / name), "zip")))
    return FileResponse(path, filename=name)


# The pages of a project.
_PAGES: tuple[tuple[str, Screen | None, Screen | None], ...] = (
    ("/", current, None),
    ("/progress", progress, None),
    ("/import", columns, choose_columns),
    ("/read", bounds, choose_bounds),
    ("/replace", plan, choose_plan),
    ("/replace/held", None, decide_held),
    ("/replace/names", naming, change_name),
    ("/verify", partial(checking, name="verify"), None),
    ("/verify/sample", partial(checking, name="sample"), begin_sample),
    ("/verify/sample/answer", None, answer_sample),
    ("/project", overview, None),
    ("/run", None, run),
    ("/cancel", None, cancel),
    ("/publish", partial(checking, name="publish"), begin_publishing),
    ("/publish/{name}", published, None),
    ("/people", accounts, change_account),
    ("/project/archive", move, None),
    ("/project/columns", added_columns, choose_added),
    ("/project/rename", None, rename),
    ("/project/delete", None, delete),
)


def routes(desk: Desk) -> list[BaseRoute]:
    files = [
        route_of_file(desk, "/project/extend", extend),
        route_of_file(desk, "/project/file", replace_file),
    ]
    answer = partial(respond, desk)
    rows = [(path, opened_by(path[1:]), shown, answered) for path, shown, answered in _PAGES]
    reader = Mount("/read", router(routes_of(READER, partial(_read, desk))))
    return [
        Route("/", lambda request: projects(Visit(request, desk))),
        Mount("/project/{project}", router([*routes_of(rows, answer), *files, reader])),
        route_of_file(
            desk, "/upload", lambda visit, file: address(homes.create(visit.desk.home, file))
        ),
        *routes_of([("/new", OWNER, None, new)], answer),
    ]


def _read(desk: Desk, screen: Screen, rights: Collection[Right], request: Request) -> Response:
    """Answer a request to the reader of a project, made once for a person and their rights."""
    visit = Visit(request, desk)
    visit.check(opened_by("read/"))
    project, key = visit.project, (visit.project.name, visit.person, visit.rights)
    if not project.queue.exists():
        raise HTTPError(404, "todo.others")
    if key not in desk.readers:
        queue = Queue.open(project.queue)
        desk.readers[key] = Review(queue, visit.person, desk, project, visit.rights)
    return desk.readers[key].answer(screen, rights, request)


def serve(path: Path | None, annotator: str, **listening: Unpack[Listening]) -> None:
    desk = Desk(folder_of(path), annotator)
    # What was being received, copied or written when an earlier server was killed.
    for folder in (desk.home, *(project.folder for project in projects_in(desk.home))):
        remove_stale(folder)
    notice = f"The projects are in {desk.home}. You decide as {annotator}. Ctrl+C ends."
    try:
        serve_app(routes(desk), notice, desk.people, **listening)
    finally:
        desk.jobs.end()


def folder_of(path: Path | None) -> Path:
    """Return the folder of projects that a path means; make it where it is not there."""
    if path is None:
        path = Path.home() / "triage-projects"
    if path.is_file():
        return homes.create(path.resolve().parent, path).folder.parent
    if Project.is_one(path):
        return path.resolve().parent
    if path.suffix and not path.exists():
        raise TriageError(f"there is no file {path}; a new folder of projects has a name without .")
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise TriageError(f"cannot make the folder {path}: {error.strerror}") from None
    return path.resolve()
