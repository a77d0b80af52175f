import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Asks twice on the terminal, without showing what is typed. @throws Error where the two differ or there is no terminal */
export async function askPassword(name: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Error('There is no terminal to ask for the password; use --password-stdin.');
  const first = await askHidden(`Password for ${name}: `);
  const second = await askHidden('The same again: ');
  if (first !== second) throw new Error('The two passwords differ; nothing was changed.');
  return first;
}

/** The first line of the stream, without its end of line. */
export async function passwordFromStdin(stdin: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line;
  return '';
}

function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  return new Promise((resolve) => {
    terminal.question('', (answer) => {
      terminal.close();
      process.stderr.write('\n');
      resolve(answer);
    });
  });
}
