import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test.each(['key', 'config/key', 'operators.json', 'data/sessions.sqlite', 'deploy/data/session-secret', 'tls.key'])(
  'git takes no %s',
  (path) => {
    const { status } = spawnSync('git', ['check-ignore', '--quiet', '--no-index', path]);
    expect(status).toBe(0);
  },
);
