/**
 * A process in which one command of `silas` runs after the other, each with the arguments, environment, folder and
 * input it would have had in a process of its own. Loading the product costs more than most commands do; here it is
 * loaded once. Everything else is real: the command line, the files, the processes it starts.
 */
import manifest from "../../package.json" with { type: "json" };
import { PassThrough, Readable } from "node:stream";
import { run } from "#cli";

export type Errand = {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly input: string;
};
export type Done = { readonly code: number; readonly out: string; readonly err: string };

process.on("message", async (errand: Errand) => {
  const done = await perform(errand);
  process.send?.(done);
});

async function perform({ argv, env, cwd, input }: Errand): Promise<Done> {
  takeOn(env);
  process.chdir(cwd);
  const out = collect();
  const err = collect();
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)]);
  const code = await run({ version: manifest.version, argv, stdin, stdout: out.stream, stderr: err.stream });
  return { code, out: await out.end(), err: await err.end() };
}

function takeOn(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

function collect(): { readonly stream: PassThrough; readonly end: () => Promise<string> } {
  const stream = new PassThrough();
  const pieces: Buffer[] = [];
  stream.on("data", (piece: Buffer) => pieces.push(piece));
  const ended = new Promise<void>((resolve) => stream.once("end", resolve));
  return {
    stream,
    end: async () => {
      stream.end();
      await ended;
      return Buffer.concat(pieces).toString("utf8");
    },
  };
}
