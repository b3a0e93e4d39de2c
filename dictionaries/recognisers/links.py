"""Links that let one in: meetings, invitations, shared documents, money pools."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.mail import REST, TRAILING
from triage.dictionaries.recognisers.recogniser import Recogniser, any_of, behind

# Hosts, with the beginning of the path where other pages of the host let nobody in.
_HOSTS = (
    r"(?:[\w-]{1,40}\.)?zoom\.us",
    r"(?:meet|docs|drive|forms|photos|calendar)\.google\.com",
    r"g\.co/meet",
    r"forms\.gle",
    r"photos\.app\.goo\.gl",
    r"teams\.(?:microsoft|live)\.com",
    r"(?:[\w-]{1,40}\.)?webex\.com",
    r"meet\.jit\.si",
    r"whereby\.com",
    r"join\.skype\.com",
    r"(?:chat|call)\.whatsapp\.com",
    r"(?:api\.)?whatsapp\.com/(?:send|channel)",
    r"wa\.me",
    r"discord\.gg",
    r"discord(?:app)?\.com/invite",
    r"(?:t|telegram)\.me",
    r"m\.me",
    r"ig\.me",
    r"signal\.(?:me|group)",
    r"snapchat\.com/(?:add|t)",
    r"doodle\.com",
    r"framadate\.org",
    r"evento\.renater\.fr",
    r"calendly\.com",
    r"forms\.office\.com",
    r"(?:[\w-]{1,40}\.)?sharepoint\.com",
    r"onedrive\.live\.com",
    r"1drv\.ms",
    r"dropbox\.com/(?:s|scl|sh)",
    r"we\.tl",
    r"wetransfer\.com/downloads",
    r"icloud\.com",
    r"leetchi\.com",
    r"lepotcommun\.fr",
    r"lepotsolidaire\.fr",
    r"(?:pots\.)?lydia\.me",
    r"(?:pot\.)?lydia-app\.com",
    r"paypal\.me",
    r"paypal\.com/(?:pools|paypalme)",
    r"gofundme\.com",
    r"helloasso\.com",
    r"tricount\.com",
    r"splitwise\.com",
    r"steamcommunity\.com/(?:id|profiles)",
    r"roblox\.com/(?:users|share)",
    r"strava\.app\.link",
    r"open\.spotify\.com/(?:user|playlist)",
    r"facebook\.com/(?:groups|events)",
)
_LINK = rf"(?<![\w@.-])(?i:(?:https?://)?(?:www\.)?{any_of(_HOSTS)}/(?=[\w?#+@-]){REST})"
_NUMBER = r"\d{3}(?:[ -]?\d{3,4}){2}(?![ -]?\d)"
_MEET = r"[a-z]{3}-[a-z]{4}-[a-z]{3}(?![\w-])"


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of links, and of the numbers of meetings."""
    meetings = pack.meetings
    number = behind(meetings.triggers, meetings.between, f"(?:{_NUMBER}|{_MEET})")
    return (
        Recogniser(
            "link",
            Kind.LNK,
            re.compile(_LINK),
            gate=r"\.[a-z]{2,6}/",
            score=0.95,
            trim=TRAILING,
        ),
        Recogniser(
            "meeting",
            Kind.LNK,
            re.compile(f"(?i:{number})"),
            gate="[0-9]{3}|-[a-z]{4}-",
            score=0.92,
        ),
    )
