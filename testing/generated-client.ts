import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const MODULES = join(ROOT, 'node_modules');

/** openapi-typescript uses the interface of the TypeScript compiler in JavaScript, which TypeScript 7 no longer has. */
const EARLIER_TYPESCRIPT = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve: (name, context, next) =>
    name === 'typescript' ? { url: 'earlier:typescript', format: 'module', shortCircuit: true } : next(name, context),
  load: (url, context, next) =>
    url === 'earlier:typescript'
      ? { format: 'module', shortCircuit: true, source: \`
          import { createRequire } from 'node:module';
          export default createRequire(${JSON.stringify(pathToFileURL(join(ROOT, 'package.json')))})('@ts-morph/common').ts;\` }
      : next(url, context),
});`;

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  },
  include: ['*.ts'],
};

/** A program that imports the types of docs/openapi.json from `./lookout.ts`, in a folder of its own. */
export class GeneratedClient {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lookout-client-'));

  constructor(program: string) {
    symlinkSync(MODULES, join(this.#folder, 'node_modules'));
    writeFileSync(join(this.#folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(this.#folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    writeFileSync(join(this.#folder, 'program.ts'), program);
  }

  async generate(): Promise<void> {
    const hook = `data:text/javascript,${encodeURIComponent(EARLIER_TYPESCRIPT)}`;
    const generator = join(MODULES, 'openapi-typescript/bin/cli.js');
    await run(
      process.execPath,
      [
        '--import',
        hook,
        generator,
        'docs/openapi.json',
        '--default-non-nullable',
        'false',
        '-o',
        join(this.#folder, 'lookout.ts'),
      ],
      {
        cwd: ROOT,
      },
    );
  }

  /** @returns what the compiler says; '' if all types fit */
  async typeErrors(): Promise<string> {
    const compiler = join(MODULES, 'typescript/bin/tsc');
    return run(process.execPath, [compiler, '-p', this.#folder]).then(
      () => '',
      (error: { readonly stdout: string }) => error.stdout,
    );
  }

  /** @returns what it writes */
  async start(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [join(this.#folder, 'program.ts'), ...args], { maxBuffer: 2 ** 28 });
    return stdout;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
