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
        self._object("JsonResult", "JsonResult")["RawJson"] = text

    def add_data_table(self, title, data_table):
        if not all(isinstance(line, str) for line in data_table):
            raise TypeError("a table is a list of CSV lines")
        self._object(f"{title}_None", title)["CSVLines"] = data_table

    def _object(self, key, title):
        empty = {"Content": "", "RawJson": "", "CSVLines": "", "Attachments": {}, "Htmls": {}, "Markdowns": {}}
        return self.objects.setdefault(key, {"Title": title, "Type": None, "IsForEntity": False, **empty})
