import 'server-only';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isUsableKey } from '../upstream/api-key.ts';
import type { NetworkSettings } from './network-settings.ts';
import { isPort, optionalText, type SettingProblem, unreadable } from './setting-forms.ts';

const TOKEN_MIN_LENGTH = 32;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

function days(byDefault: string) {
  return optionalText
    .transform((text) => text ?? byDefault)
    .refine((text) => /^[1-9]\d{0,3}$/.test(text), { error: 'must be a whole number of days from 1 to 9999' })
    .transform(Number);
}

export const operationSettings = z.object({
  /** Folder for data that survives a restart: `lookout.sqlite`, the ledger, cached history. */
  DATA_DIR: optionalText.transform((text) => text ?? 'data'),
  /** Days until audit entries are deleted. */
  AUDIT_DAYS: days('365'),
  /** Days until alarms that have ended, when zones were watched, and when operators had pages open are deleted. */
  ALARM_DAYS: days('365'),
  /**
   * Port of 127.0.0.1 that serves `/metrics` without a token; default: none. `+6000` is PORT plus 6000, a port for each of
   * several servers with the same settings.
   */
  METRICS_PORT: optionalText,
  /** File with a token of 32 characters or more for `/metrics` at Lookout's own address. */
  METRICS_TOKEN_FILE: optionalText,
  /** `debug`, `info`, `warn`, `error` or `silent`; default: `info`, with the embedded service `warn`. */
  LOG_LEVEL: optionalText.refine((text) => text === undefined || LOG_LEVELS.includes(text), {
    error: `must be one of ${LOG_LEVELS.join(', ')}`,
  }),
});

type OperationSettings = z.infer<typeof operationSettings>;
type MetricsSettings = Pick<OperationSettings, 'METRICS_PORT'> & Pick<NetworkSettings, 'PORT'>;

export interface OperationConfig {
  readonly dataDir: string;
  readonly auditDays: number;
  readonly alarmDays: number;
  readonly metrics: { readonly port: number | undefined; readonly tokenFile: string | undefined };
  readonly logLevel: string;
}

export function* operationProblems(
  settings: OperationSettings & MetricsSettings,
): Generator<SettingProblem<OperationSettings>> {
  const { METRICS_TOKEN_FILE: file, METRICS_PORT: text, PORT } = settings;
  const port = metricsPort(settings);
  if (text !== undefined && port === undefined)
    yield ['METRICS_PORT', 'must be a port from 1 to 65535, or + and a number to add to PORT, such as +6000'];
  if (port === PORT) yield ['METRICS_PORT', 'is the same as PORT; choose another one'];
  if (file === undefined) return;
  const problem = unreadable(file) ?? weakToken(file);
  if (problem) yield ['METRICS_TOKEN_FILE', problem];
}

/** @returns undefined for none, and for no port */
function metricsPort({ METRICS_PORT: text = '', PORT }: MetricsSettings): number | undefined {
  const port = /^\+[1-9]\d*$/.test(text) ? String(PORT + Number(text)) : text;
  return isPort(port) ? Number(port) : undefined;
}

function weakToken(file: string): string | undefined {
  const token = readFileSync(file, 'utf8').trim();
  return isUsableKey(token) && token.length >= TOKEN_MIN_LENGTH
    ? undefined
    : `names ${file}, which must contain one token of ${TOKEN_MIN_LENGTH} characters or more; make one with: openssl rand -hex 32`;
}

export function operationConfig(
  settings: OperationSettings & MetricsSettings & { readonly POSITIONS_EMBEDDED?: string | undefined },
): OperationConfig {
  return {
    dataDir: settings.DATA_DIR,
    auditDays: settings.AUDIT_DAYS,
    alarmDays: settings.ALARM_DAYS,
    metrics: {
      port: metricsPort(settings),
      tokenFile: settings.METRICS_TOKEN_FILE,
    },
    logLevel: settings.LOG_LEVEL ?? (settings.POSITIONS_EMBEDDED === undefined ? 'info' : 'warn'),
  };
}
