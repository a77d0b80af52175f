import 'server-only';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { commandText } from '#lib/commands/command-text.ts';
import { isReferencePrefix } from '#lib/contract/public-reference.ts';
import { isLoopbackHost } from '../sign-in/loopback-host.ts';
import { isUsableKey } from '../upstream/api-key.ts';
import { optionalText, optionalUrl, type SettingProblem, unreadable } from './setting-forms.ts';

export const upstreamSettings = z.object({
  /** Address of the upstream, with its version segment; default: the embedded service. */
  POSITIONS_API_URL: optionalUrl('the address of the positions service with its version segment'),
  /** Set only by the start script, when it has started the embedded service itself: no sign-in is needed on loopback. `recording`: it plays one. */
  POSITIONS_EMBEDDED: optionalText,
  /** `none`: set only by the start script, over the service that it has started without an allowance. */
  POSITIONS_ALLOWANCE: optionalText,
  /** Status socket of a separate service with receivers on this machine (`receivers.md`). */
  RECEIVERS_SOCKET: optionalText.refine((path) => path === undefined || isAbsolute(path), {
    error: 'must be the whole path of the socket, for example /var/lib/positions/status.sock',
  }),
  /** API key of the upstream account. It needs the scopes `adsb.live`, `rid.live`, `adsb.history` and `rid.history`; a layer without its scope is missing. */
  POSITIONS_API_KEY: optionalText.refine((key) => key === undefined || isUsableKey(key), {
    error: 'must be printable ASCII without spaces, exactly as the upstream showed it',
  }),
  /** File with the API key; read again when it changes. */
  POSITIONS_API_KEY_FILE: optionalText,
  /** Prefix of the track references of the upstream; default: any prefix. */
  POSITIONS_TRACK_PREFIX: optionalText.refine((prefix) => prefix === undefined || isReferencePrefix(prefix), {
    error: 'must be 1 to 32 letters, digits, `_`, `.` or `-`, and not begin with `-`',
  }),
});

type UpstreamSettings = z.infer<typeof upstreamSettings>;

export interface UpstreamConfig {
  readonly upstream: {
    /** Without a trailing slash. */
    readonly baseUrl: string;
    readonly embedded: boolean;
    readonly isRecording: boolean;
    readonly hasAllowance: boolean;
    readonly key: { readonly value: string } | { readonly file: string };
    readonly trackPrefix: string | undefined;
  };
  readonly receiversSocket: string | undefined;
}

export function* upstreamProblems(settings: UpstreamSettings): Generator<SettingProblem<UpstreamSettings>> {
  const { POSITIONS_API_URL: url, POSITIONS_API_KEY: key, POSITIONS_API_KEY_FILE: keyFile } = settings;
  if (url === undefined) {
    yield [
      'POSITIONS_API_URL',
      `is not set; ${commandText('lookout')} sets it to the embedded service, or give the upstream’s address`,
    ];
  } else if (URL.canParse(url)) {
    const { hostname, username, password, search, hash } = new URL(url);
    if (username || password || search || hash) {
      yield ['POSITIONS_API_URL', 'must be an address alone, without user, password, query or fragment'];
    }
    if (!isLoopbackHost(hostname) && url.startsWith('http:')) {
      yield ['POSITIONS_API_URL', 'must start with https://, or the key would cross the network in the clear'];
    }
    if (settings.POSITIONS_EMBEDDED !== undefined && !isLoopbackHost(hostname)) {
      yield ['POSITIONS_EMBEDDED', 'is for the embedded service on loopback alone; do not set it'];
    }
  }
  const { POSITIONS_ALLOWANCE: allowance, POSITIONS_EMBEDDED: embedded } = settings;
  if (allowance !== undefined && (allowance !== 'none' || embedded === undefined)) {
    yield ['POSITIONS_ALLOWANCE', 'is for the embedded service alone; do not set it'];
  }
  if (key !== undefined && keyFile !== undefined) {
    yield ['POSITIONS_API_KEY', 'and POSITIONS_API_KEY_FILE are both set; set one of them'];
  } else if (key === undefined && keyFile === undefined) {
    yield ['POSITIONS_API_KEY', 'or POSITIONS_API_KEY_FILE is needed: the bearer key of the upstream account'];
  }
  if (keyFile !== undefined) {
    const problem = unreadable(keyFile);
    if (problem) yield ['POSITIONS_API_KEY_FILE', problem];
  }
}

export function upstreamConfig(settings: UpstreamSettings): UpstreamConfig {
  return {
    upstream: {
      baseUrl: (settings.POSITIONS_API_URL as string).replace(/\/+$/, ''),
      embedded: settings.POSITIONS_EMBEDDED !== undefined,
      isRecording: settings.POSITIONS_EMBEDDED === 'recording',
      hasAllowance: settings.POSITIONS_ALLOWANCE === undefined,
      key:
        settings.POSITIONS_API_KEY_FILE === undefined
          ? { value: settings.POSITIONS_API_KEY as string }
          : { file: settings.POSITIONS_API_KEY_FILE },
      trackPrefix: settings.POSITIONS_TRACK_PREFIX,
    },
    receiversSocket: settings.RECEIVERS_SOCKET,
  };
}
