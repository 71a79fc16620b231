import { render } from "preact";
import { App } from "./app.tsx";
import { startLive } from "./live.ts";
import { startClock } from "./parts/time.tsx";
import { startRouter } from "./router.ts";
import { startTheme } from "./theme.ts";
import "./styles/index.css";

startTheme();
startRouter();
startLive();
startClock();
render(<App />, document.getElementById("app") ?? document.body);
