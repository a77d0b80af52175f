import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const NGINX = '/usr/sbin/nginx';

/** Path of Debian's nginx, which is installed first if it is missing and this process is root; `undefined` elsewhere. */
export function findNginx(): string | undefined {
  if (!existsSync(NGINX) && existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const args of [
      ['update', '-qq'],
      ['install', '-y', '-qq', '--no-install-recommends', 'nginx-light'],
    ])
      spawnSync('apt-get', args, { stdio: 'ignore', env });
  }
  return existsSync(NGINX) ? NGINX : undefined;
}
