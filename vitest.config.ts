import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // 'server-only' throws outside a server build; in tests there is no build to guard.
    alias: { 'server-only': fileURLToPath(new URL('./scripts/test/server-only-stub.ts', import.meta.url)) },
  },
  test: {
    include: ['{lib,service,components,scripts,bench,app}/**/*.test.ts'],
    environment: 'node',
    setupFiles: ['./scripts/test/property-seed.ts'],
    testTimeout: 20_000,
  },
});
