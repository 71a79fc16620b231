import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock, type Clock } from "../../../src/clock.ts";
import type { Host } from "../../soar/index.ts";
import { consoleApp, failure } from "./app.ts";
import { authoritiesOf, ENTRANCE } from "./guard.ts";
import { listenerOf } from "./listener.ts";
import { Live } from "./live.ts";
import type { Simulation } from "./simulation/simulation.ts";
import { buildPage, type PageBundle } from "./page.ts";
import { tourMarks } from "./tour.ts";
import { WaitingFrames } from "./widgets.ts";

const LOOPBACK = "127.0.0.1";

export interface ConsoleOptions {
  host: Host;
  /** The simulated tenant that the page controls. */
  simulation?: Simulation;
  /** 0, the default, takes any free port. */
  port?: number;
  /** File of what the person has seen of the tour. */
  tourFile: string;
  /** Folder of built packages. */
  builds: string;
  /** The page, when it is bundled already. */
  page?: PageBundle;
  clock?: Clock;
}

export interface Console {
  /** Such as http://127.0.0.1:7420. */
  readonly origin: string;
  /** Opens the page. The token stands behind the #, which a browser sends to no server and to no other site. */
  readonly url: string;
  /** Opens the page from a file. A browser says that a file is another site, and only this address lets another site in. */
  readonly entrance: string;
  readonly token: string;
  close(): Promise<void>;
}

/**
 * Serves the console on the loopback address.
 * @throws Error that says what to do when the port is in use.
 */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { host, simulation = null, port = 0, tourFile, builds, clock = systemClock } = options;
  const page = options.page ?? (await buildPage());
  const [token, ticket] = [secret(), secret()];
  const live = new Live(clock, host.live);
  const frames = new WaitingFrames(clock);
  const parts = { host, simulation, clock, tour: tourMarks(tourFile), builds, frames };
  if (simulation !== null) host.setAhead(simulation.passedMs);
  let authorities: string[] = [];
  const app = consoleApp({ parts, live, page, token, ticket, authorities: () => authorities });
  const failed = (error: unknown) => failure(host.log, error, "outside of its routes");
  const server = createServer(listenerOf(app, failed));
  try {
    await listen(server, port);
  } catch (error) {
    live.close();
    throw error;
  }
  const { port: taken } = server.address() as AddressInfo;
  authorities = authoritiesOf(LOOPBACK, taken);
  const origin = `http://${LOOPBACK}:${taken}`;
  return {
    origin,
    url: `${origin}/#token=${token}`,
    entrance: `${origin}/?${ENTRANCE}=${ticket}#token=${token}`,
    token,
    close: async () => {
      live.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function secret(): string {
  return randomBytes(24).toString("base64url");
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "EADDRINUSE" ? new Error(inUse(port)) : error);
    });
    server.listen(port, LOOPBACK, resolve);
  });
}

function inUse(port: number): string {
  return `Port ${port} is in use, perhaps by another console. Stop that program, or choose another port with --port (0 takes any free one).`;
}
