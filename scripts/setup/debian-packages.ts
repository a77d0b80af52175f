import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';

/** A glob of the browser with Safari's engine, which needs no Safari. */
export const WEBKIT_BROWSER = '/usr/lib/*/webkit2gtk-4.*/MiniBrowser';

/** A file that the package brings, as a glob. */
const BRINGS = {
  caddy: '/usr/bin/caddy',
  'chromium-headless-shell': '/usr/bin/chromium-headless-shell',
  'firefox-esr': '/usr/bin/firefox-esr',
  'libgl1-mesa-dri': '/usr/lib/*/dri/swrast_dri.so',
  mosquitto: '/usr/sbin/mosquitto',
  nginx: '/usr/sbin/nginx',
  pgbouncer: '/usr/sbin/pgbouncer',
  prometheus: '/usr/bin/promtool',
  postgresql: '/usr/lib/postgresql/*/bin/initdb',
  'python3-aiosmtpd': '/usr/lib/python3/dist-packages/aiosmtpd/smtp.py',
  'python3-ephem': '/usr/lib/python3/dist-packages/ephem/__init__.py',
  'webkit2gtk-driver': '/usr/bin/WebKitWebDriver',
  xvfb: '/usr/bin/Xvfb',
} as const;

export type DebianPackage = keyof typeof BRINGS;

export const ALL_PACKAGES = Object.keys(BRINGS) as readonly DebianPackage[];

const APT = '/usr/bin/apt-get';
/** 101 keeps Debian's packages from starting a server. Tests start their own. */
const POLICY = '/usr/sbin/policy-rc.d';

export function installedNginx(): string | undefined {
  return existsSync(BRINGS.nginx) ? BRINGS.nginx : undefined;
}

export function installedCaddy(): string | undefined {
  return existsSync(BRINGS.caddy) ? BRINGS.caddy : undefined;
}

/** With apt, as root. Elsewhere, the test that needs a package gives the remedy. */
export async function installMissing(wanted: readonly DebianPackage[], say: (progress: string) => void): Promise<void> {
  const missing = missingOf(wanted);
  if (missing.length === 0 || !existsSync(APT) || process.getuid?.() !== 0) return;
  say(`Installing Debian’s ${missing.join(', ')} for the tests (once) …`);
  const ownPolicy = !existsSync(POLICY);
  if (ownPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await apt('update');
    await install(...missing);
    // One by one, so that a missing package does not stop the others.
    for (const name of missingOf(missing)) await install(name);
  } finally {
    if (ownPolicy) rmSync(POLICY);
  }
}

export function isInstalled(name: DebianPackage): boolean {
  return globSync(BRINGS[name]).length > 0;
}

function missingOf(wanted: readonly DebianPackage[]): readonly DebianPackage[] {
  return wanted.filter((name) => !isInstalled(name));
}

function install(...names: readonly string[]): Promise<void> {
  return apt('install', '--yes', '--no-install-recommends', ...names);
}

async function apt(...args: readonly string[]): Promise<void> {
  const child = spawn(APT, ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  await once(child, 'close');
}
