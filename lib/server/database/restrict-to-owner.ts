import 'server-only';
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const OURS = /^(?:[\w-]+\.sqlite\b.*|session-secret|in-use\.lock.*)$/;
const OTHERS = 0o077;
const STICKY = 0o1000;

/** Leaves a directory of another user, and a shared one such as /tmp. */
export function restrictToOwner(directory: string): void {
  if ((lstatSync(directory).mode & STICKY) === 0) restrict(directory, 0o700);
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (OURS.test(name) && lstatSync(path).isFile()) restrict(path, 0o600);
  }
}

function restrict(path: string, mode: number): void {
  if ((lstatSync(path).mode & OTHERS) === 0) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
