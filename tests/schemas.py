"""The schemas of what ``--json`` prints, made from `triage.cli.results`: ``make schemas``."""

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from triage.cli import results

FOLDER = Path(results.__file__).parent / "schemas"


class _Plain(GenerateJsonSchema):
    """Without titles, which would only repeat the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401, ARG002
        return False


def schemas() -> dict[str, str]:
    """Return the text of the schema of each command by the name of its file."""
    for one in vars(results).values():
        if hasattr(one, "__total__"):
            one.__pydantic_config__ = {"extra": "forbid", "use_attribute_docstrings": True}
    return {
        f"{command.replace(' ', '-')}.json": _text(command, result)
        for command, result in results.RESULTS.items()
    }


def _text(command: str, result: Any) -> str:  # noqa: ANN401
    schema: JsonSchemaValue = TypeAdapter(result).json_schema(schema_generator=_Plain)
    head = {"$schema": _Plain.schema_dialect, "title": f"triage {command} --json"}
    return json.dumps({**head, **schema, **head}, indent=1) + "\n"


def main() -> None:
    """Write the schemas."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in schemas().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
