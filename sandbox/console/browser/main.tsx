import { render } from "preact";
import { App } from "./app.tsx";
import { startLive } from "./live.ts";
import { startClock } from "./parts/time.tsx";
import { startRouter } from "./router.ts";
import { startSession } from "./session.ts";
import { startTheme } from "./theme.ts";
import "./styles/index.css";

startSession();
startTheme();
startRouter();
void startLive();
startClock();
render(<App />, document.getElementById("app") ?? document.body);
