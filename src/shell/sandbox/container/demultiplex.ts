type Streams = { readonly stdout: (part: Uint8Array) => void; readonly stderr: (part: Uint8Array) => void };

const HEADER_BYTES = 8;
const LENGTH_AT = 4;
const STDERR = 2;

/**
 * Takes apart what an engine sends of a container's output: eight bytes that name the stream and the length, then as many
 * bytes of it. They may arrive cut anywhere.
 */
export function createDemultiplexer({ stdout, stderr }: Streams): (chunk: Buffer) => void {
  let header = Buffer.alloc(0);
  let left = 0;
  return (chunk) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (left === 0) {
        const missing = HEADER_BYTES - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < HEADER_BYTES) return;
        left = header.readUInt32BE(LENGTH_AT);
        if (left === 0) header = Buffer.alloc(0);
        continue;
      }
      const part = rest.subarray(0, left);
      (header[0] === STDERR ? stderr : stdout)(part);
      left -= part.length;
      rest = rest.subarray(part.length);
      if (left === 0) header = Buffer.alloc(0);
    }
  };
}
