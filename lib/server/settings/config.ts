// The settings of the app, read from the environment, which no other file of it reads. All problems are listed together,
// each with what to write instead.
import 'server-only';
import { z } from 'zod';
import {
  type NetworkConfig,
  networkConfig,
  networkProblems,
  networkSettings,
  type OidcConfig,
  oidcConfig,
  oidcProblems,
  oidcSettings,
  passkeyProblems,
  type SignInConfig,
  signInConfig,
  signInSettings,
} from './access-settings.ts';
import {
  type DatabaseConfig,
  databaseConfig,
  databaseProblems,
  databaseSettings,
  type MapConfig,
  mapConfig,
  mapProblems,
  mapSettings,
  type OperationConfig,
  operationConfig,
  operationProblems,
  operationSettings,
  type ServersConfig,
  serversConfig,
  serversSettings,
  type UpstreamConfig,
  upstreamConfig,
  upstreamProblems,
  upstreamSettings,
} from './server-settings.ts';

export const settingsSchema = z
  .object({
    ...upstreamSettings.shape,
    ...signInSettings.shape,
    ...oidcSettings.shape,
    ...operationSettings.shape,
    ...mapSettings.shape,
    ...networkSettings.shape,
    ...serversSettings.shape,
    ...databaseSettings.shape,
  })
  .superRefine((settings, context) => {
    for (const problems of [
      upstreamProblems(settings),
      networkProblems(settings),
      databaseProblems(settings),
      passkeyProblems(settings),
      operationProblems(settings),
      mapProblems(settings),
      oidcProblems(settings),
    ])
      for (const [setting, message] of problems) context.addIssue({ code: 'custom', path: [setting], message });
  });

export interface Config
  extends UpstreamConfig,
    SignInConfig,
    OperationConfig,
    MapConfig,
    NetworkConfig,
    ServersConfig,
    DatabaseConfig {
  readonly oidc: OidcConfig | undefined;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  /** Each names its setting and what to write instead. */
  | { readonly ok: false; readonly problems: readonly string[] };

export function readConfig(environment: NodeJS.ProcessEnv): ConfigResult {
  const parsed = settingsSchema.safeParse(environment);
  if (!parsed.success) {
    return { ok: false, problems: parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) };
  }
  const settings = parsed.data;
  return {
    ok: true,
    config: {
      ...upstreamConfig(settings),
      ...signInConfig(settings),
      oidc: oidcConfig(settings),
      ...operationConfig(settings),
      ...mapConfig(settings),
      ...networkConfig(settings),
      ...serversConfig(settings),
      ...databaseConfig(settings),
    },
  };
}

/** @throws Error that lists every problem */
export function loadConfig(): Config {
  const result = readConfig(process.env);
  if (!result.ok)
    throw new Error(`Lookout cannot start:\n${result.problems.map((problem) => `  ${problem}`).join('\n')}`);
  return result.config;
}
