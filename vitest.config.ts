import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // 'server-only' throws outside a server build; in tests there is no build to guard.
    alias: { 'server-only': fileURLToPath(new URL('./testing/server-only-stub.ts', import.meta.url)) },
  },
  test: {
    setupFiles: ['./testing/before-each-file.ts'],
    // A machine that others share can be many times slower; a test that hangs is still ended.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Vitest leaves one processor free, which on two of them is half of all; and a file that waits leaves its own free, a fifth of the time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // Processes that tests start inherit it: parsing and compiling is half of the work of a start.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/node-compile', import.meta.url)) },
    // A process for each of 230 files costs more than most of them take. No module keeps anything from one use to the next:
    // the files pass in any order (`--sequence.shuffle.files`).
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{lib,service,components,scripts,testing,bench,app}/**/*.test.ts'],
          globalSetup: ['./testing/start-shared-postgres.ts'],
        },
      },
      // Processes of the built app.
      {
        extends: true,
        test: { name: 'app', include: ['e2e/**/*.test.ts'] },
      },
      // The page without its map, in a DOM without layout. Isolated: its libraries keep state of a window that is gone.
      {
        extends: true,
        test: {
          name: 'panels',
          environment: './testing/page-environment.ts',
          setupFiles: ['./testing/before-each-page.ts'],
          isolate: true,
          include: ['components/**/*.test.tsx'],
        },
      },
    ],
    // Threads that collect side by side wait for each other where all processors are busy: a tenth of the processor time. With room for
    // what lives briefly, less is collected at all.
    execArgv: ['--single-threaded-gc', '--min-semi-space-size=32', '--max-semi-space-size=64'],
  },
});
