"""Result of an action."""

import json

EXECUTION_STATE_COMPLETED = 0
EXECUTION_STATE_INPROGRESS = 1
EXECUTION_STATE_FAILED = 2
EXECUTION_STATE_TIMEDOUT = 3


class ScriptResult:
    def __init__(self):
        self.objects = {}

    def add_result_json(self, data):
        text = json.dumps(data) if isinstance(data, (dict, list)) else data
        json.loads(text)
        self.objects["JsonResult"] = {
            "Title": "JsonResult",
            "Type": None,
            "IsForEntity": False,
            "Content": "",
            "RawJson": text,
            "CSVLines": "",
            "Attachments": {},
            "Htmls": {},
            "Markdowns": {},
        }
