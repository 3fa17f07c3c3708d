import type { Duplex } from "node:stream";
import type { NotificationBatch, ServerFrame } from "#model";

export type BatchWriter = (stream: Duplex, batch: NotificationBatch) => void;

/** Writes batches to streams so that all of one window leave a stream in one write, at the end of the current tick. */
export function createBatchWriter(): BatchWriter {
  let held: Duplex[] = [];
  const release = () => {
    const streams = held;
    held = [];
    for (const stream of streams) stream.uncork();
  };
  return (stream, batch) => {
    if (stream.writableCorked === 0) {
      if (held.length === 0) process.nextTick(release);
      held.push(stream);
      stream.cork();
    }
    stream.write(frameOfBatch(batch));
  };
}

const frames = new WeakMap<NotificationBatch, Buffer>();

/** A batch as it goes over the wire. Every socket gets the same envelope, so its bytes are made once for all of them. */
export function frameOfBatch(batch: NotificationBatch): Buffer {
  const known = frames.get(batch);
  if (known !== undefined) return known;
  const content: ServerFrame = { type: "change_batch", batch };
  const frame = textFrame(JSON.stringify(content));
  frames.set(batch, frame);
  return frame;
}

const WHOLE_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** One unmasked, unfragmented WebSocket text frame, as a server sends it (RFC 6455, section 5.2). */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text);
  const headBytes = bytes < LENGTH_16 ? 2 : bytes <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(headBytes + bytes);
  frame[0] = WHOLE_TEXT;
  if (headBytes === 2) frame[1] = bytes;
  else if (headBytes === 4) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(bytes, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeBigUInt64BE(BigInt(bytes), 2);
  }
  frame.write(text, headBytes);
  return frame;
}
