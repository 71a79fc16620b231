import { afterEach, describe, expect, it } from "@jest/globals";
import { retryPolicies } from "../../../src/service/connect.ts";
import { clientOf, closeClients, errorOf } from "../support/clients.ts";
import { startRawServer } from "../../support/raw-server.ts";

afterEach(closeClients);

const body = '{"data":["T0Owns"]}';
const plain = `Content-Length: ${body.length}\r\n\r\n${body}`;
const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
const chunked = "Transfer-Encoding: chunked\r\n\r\n";

/** The finding types in a response as it stands on the wire, in pieces. The connection ends behind it. */
async function typesIn(...parts: (string | Buffer)[]): Promise<unknown> {
  const server = await startRawServer((_, socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  });
  return (await clientOf(server.url, { retryPolicy: retryPolicies.none }).findings.types("S-1")).types;
}

describe("a response in an unusual but lawful form", () => {
  it.each<[string, string | string[]]>([
    ["HTTP/1.0, ended by the end of the connection", `HTTP/1.0 200 OK\r\n\r\n${body}`],
    ["no reason phrase", `HTTP/1.1 200\r\n${plain}`],
    ["header names in capitals", `HTTP/1.1 200 OK\r\n${plain.replace("Content-Length", "CONTENT-LENGTH")}`],
    ["informational responses before it", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n${plain}`],
    ["chunks", `HTTP/1.1 200 OK\r\n${chunked}${chunk}0\r\n\r\n`],
    ["chunk extensions and trailers", `HTTP/1.1 200 OK\r\n${chunked}${chunk.replace("\r", ";a=b\r")}0\r\nT: 1\r\n\r\n`],
    ["headers of 60 KB", `HTTP/1.1 200 OK\r\nX-Padding: ${"a".repeat(60_000)}\r\n${plain}`],
    ["one byte at a time", Array.from(`HTTP/1.1 200 OK\r\n${plain}`)],
    ["a byte order mark", `HTTP/1.1 200 OK\r\nContent-Length: ${body.length + 3}\r\n\r\n\uFEFF${body}`],
    ["status 203", `HTTP/1.1 203 Transformed\r\n${plain}`],
    ["a second response that nobody asked for", `HTTP/1.1 200 OK\r\n${plain}HTTP/1.1 500 No\r\n${plain}`],
  ])("is read: %s", async (_, response) => {
    await expect(typesIn(...[response].flat())).resolves.toEqual(["T0Owns"]);
  });
});

describe("a response that is no whole answer", () => {
  it.each<[string, string | Buffer]>([
    ["shorter than its length", `HTTP/1.1 200 OK\r\nContent-Length: ${body.length + 1}\r\n\r\n${body}`],
    ["longer than its length", `HTTP/1.1 200 OK\r\nContent-Length: ${body.length - 1}\r\n\r\n${body}`],
    ["without its last chunk", `HTTP/1.1 200 OK\r\n${chunked}${chunk}`],
    ["with two lengths", `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n${plain}`],
    ["with a length and chunks", `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n${chunked}${chunk}0\r\n\r\n`],
    ["status 101 alone", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
    ["an empty one", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
    ["status 204", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["status 202", `HTTP/1.1 202 Accepted\r\n${plain}`],
    ["status 206", `HTTP/1.1 206 Partial Content\r\n${plain}`],
    ["UTF-16", Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), Buffer.from(`\uFEFF${body}`, "utf16le")])],
    ["informational responses alone", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["no HTTP", "220 mail.example ESMTP\r\n"],
    ["nothing", ""],
  ])("is an error, and nothing of it is used: %s", async (_, response) => {
    const error = await errorOf(typesIn(response));
    expect(["protocol", "network"]).toContain(error.code);
    expect(error.message).not.toContain("T0Owns");
  });

  it("is named for what it is: a change to another protocol", async () => {
    const upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    const error = await errorOf(typesIn(upgrade, "frames"));
    expect(error).toMatchObject({ code: "protocol", status: 101 });
  });

  it("is named for what it is: headers that are too large", async () => {
    const error = await errorOf(typesIn(`HTTP/1.1 200 OK\r\nX-Padding: ${"a".repeat(80_000)}\r\n${plain}`));
    expect(error.message).toContain("The headers of the response are larger than 64 KiB.");
  });
});
