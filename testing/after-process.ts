import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Runs a script of `sh` when this process ends, also after Ctrl-C and SIGKILL: its input then closes, and its session
 * is its own.
 * @param args `$0` and following
 * @returns runs it now
 */
export function afterProcess(
  script: string,
  args: readonly string[],
  identity: { readonly uid?: number; readonly gid?: number } = {},
): () => void {
  const child = spawn('sh', ['-c', `read -r line\n${script}`, ...args], {
    ...identity,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  (child.stdin as Socket).unref();
  return () => child.stdin.end();
}
