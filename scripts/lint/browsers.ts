// Checks the code that reaches browsers against types of the oldest browsers of package.json. JavaScript beyond ES2023 is
// missing in them. A feature of the DOM that one of these browsers lacks is optional.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import data from '@mdn/browser-compat-data' with { type: 'json' };
import { oldestBrowsers, supportedDom } from './browser-support.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { browserslist } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const project = join(root, 'node_modules/.cache/browser-types');
const fromProject = (path: string) => relative(project, join(root, path));

const compiler = join(root, 'node_modules/typescript/bin/tsc');
const { resolve } = createRequire(createRequire(compiler).resolve('typescript/package.json'));
const compilerPackage = dirname(resolve(`@typescript/typescript-${process.platform}-${process.arch}/package.json`));
for (const lib of ['dom', 'webworker']) {
  const types = readFileSync(join(compilerPackage, `lib/lib.${lib}.d.ts`), 'utf8');
  // Where the compiler looks with `libReplacement`.
  const folder = join(project, `node_modules/@typescript/lib-${lib}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.d.ts'), supportedDom(types, data, oldestBrowsers(browserslist)));
}
const config = {
  extends: fromProject('tsconfig.json'),
  compilerOptions: {
    libReplacement: true,
    target: 'ES2023',
    // Well-formed strings are in all of these browsers, before the rest of ES2024.
    lib: ['es2023', 'es2024.string', 'dom', 'webworker.importscripts'],
    types: ['geojson'],
    typeRoots: [fromProject('node_modules/@types')],
    noUncheckedSideEffectImports: false,
    incremental: false,
  },
  include: [
    'app/live-*.tsx',
    'app/*error.tsx',
    'app/overview/*-view.tsx',
    'components/**/*.ts',
    'components/**/*.tsx',
    'lib/client/**/*.ts',
    'lib/client/**/*.tsx',
  ].map(fromProject),
  exclude: ['**/*.test.ts', '**/*.test.tsx', '**/*.fixture.ts'].map(fromProject),
};
writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
const { status } = spawnSync(process.execPath, [compiler, '--noEmit', '-p', project], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
