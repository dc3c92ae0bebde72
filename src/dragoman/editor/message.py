"""What the editor sends and answers is made of messages: these are their kinds, and the types of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from dragoman.editor.bounds import AtMost

State = Literal["new", "translated", "confirmed", "locked"]
Stage = Literal["translate", "review", "done"]
Text = Annotated[str, AtMost("text")]
User = Annotated[str, Field(max_length=200)]
LARGEST = 2**53 - 1  # integers up to here are exact in JavaScript, too
Id = Annotated[int, Field(ge=1, le=LARGEST)]
Numbers = Annotated[list[Id], Field(max_length=100_000, fail_fast=True)]
MOST_FIELDS = 100  # of an object that is sent: each unknown one is an error of its own, and takes a while


class Sent(BaseModel):
    """What a client sends; unknown fields, and fields of another type, are rejected as mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _check_number_of_fields(cls, sent: Any) -> Any:
        if isinstance(sent, dict) and len(sent) > MOST_FIELDS:
            raise PydanticCustomError("too_many_fields", "there are more than {most} fields", {"most": MOST_FIELDS})
        return sent


class Given(BaseModel):
    """What the server answers with."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of_row(cls, row: Sequence[object]) -> Self:
        """The message whose fields are a row of a table, in this order."""
        return cls.model_validate(dict(zip(cls.model_fields, row, strict=True)))


def example(**fields: Any) -> ConfigDict:
    """An example of a model."""
    return ConfigDict(json_schema_extra={"examples": [fields]})
