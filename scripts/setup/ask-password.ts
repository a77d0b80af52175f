import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Twice, without echo. @throws Error if the two differ or there is no terminal */
export async function askPassword(name: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Error('There is no terminal to read the password from: use --password-stdin.');
  const first = await askHidden(`Password for ${name}: `);
  const second = await askHidden('Repeat the password: ');
  if (first !== second) throw new Error('The two passwords differ, and nothing was changed: try again.');
  return first;
}

export async function passwordFromStdin(stdin: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line;
  return '';
}

function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: discard, terminal: true });
  return new Promise((resolve) => {
    terminal.question('', (answer) => {
      terminal.close();
      process.stderr.write('\n');
      resolve(answer);
    });
  });
}
