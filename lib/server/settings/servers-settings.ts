import 'server-only';
import { hostname } from 'node:os';
import { z } from 'zod';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { NetworkSettings } from './network-settings.ts';
import { optionalText } from './setting-forms.ts';

/** Longer than load balancers wait between two requests to /readyz. */
const DRAIN_S = 5;

export const serversSettings = z.object({
  /** Name of this server in the Allowance panel; default: host and port. */
  SERVER_NAME: optionalText.refine((text) => text === undefined || /^[\w.:-]{1,64}$/.test(text), {
    error: 'must be 1 to 64 letters, digits, dots, colons, underscores or hyphens',
  }),
  /** Seconds of answers after SIGTERM while `/readyz` reports `leaving`; default: 0, with `DATABASE_URL` 5. */
  DRAIN_SECONDS: optionalText.refine((text) => text === undefined || (/^\d{1,3}$/.test(text) && Number(text) <= 300), {
    error: 'must be a whole number of seconds from 0 to 300',
  }),
});

type ServersSettings = z.infer<typeof serversSettings> &
  Pick<NetworkSettings, 'PORT'> & { readonly DATABASE_URL?: string | undefined };

export interface ServersConfig {
  readonly serverName: string;
  readonly drainMs: number;
}

export function serversConfig(settings: ServersSettings): ServersConfig {
  const drainS = settings.DATABASE_URL === undefined ? 0 : DRAIN_S;
  return {
    serverName: settings.SERVER_NAME ?? `${hostname().slice(0, 48)}:${settings.PORT}`,
    drainMs: Number(settings.DRAIN_SECONDS ?? drainS) * SECOND_MS,
  };
}
