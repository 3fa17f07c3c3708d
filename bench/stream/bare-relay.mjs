/**
 * The limit that a streamed answer is held against: `POST /ask` asks the model that its argument names, and every piece of
 * the answer goes on as one frame to whoever has a WebSocket open. Nothing is read, judged or kept.
 */
import { createHash } from "node:crypto";
import { createServer, request as ask } from "node:http";

const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const sockets = new Set();

const server = createServer((request, response) => {
  if (request.method === "GET") return response.end('{"status":"ok"}');
  response.end("{}");
  const asked = ask(process.argv[2], { method: "POST" }, (answer) => {
    answer.on("data", (piece) => {
      for (const socket of sockets) socket.write(Buffer.concat([frameHead(piece.length), piece]));
    });
  });
  asked.end("{}");
});
server.on("upgrade", ({ headers }, socket) => {
  const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${MAGIC}`).digest("base64");
  const lines = ["HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: Upgrade"];
  socket.write(`${lines.join("\r\n")}\r\nsec-websocket-accept: ${accept}\r\n\r\n`);
  socket.setNoDelay(true).on("error", () => socket.destroy());
  socket.once("data", () => socket.end()).once("close", () => sockets.delete(socket));
  sockets.add(socket);
});
server.listen(0, "127.0.0.1", () => console.log(`http://localhost:${server.address().port}`));
process.once("SIGTERM", () => process.exit(0));

/** One text frame of fewer than 65,536 bytes. */
function frameHead(bytes) {
  if (bytes < 126) return Buffer.from([0x81, bytes]);
  return Buffer.from([0x81, 126, bytes >> 8, bytes & 255]);
}
