import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '#lib/api/people/permission.ts';
import { addOperators, type StoredOperator } from './operators.ts';
import { type RunningApp, startApp } from './running-app.ts';
import { type RunningService, type ServiceSetting, startService } from './running-service.ts';

export interface LookoutSetting {
  readonly service?: ServiceSetting;
  /** Without any, no sign-in is needed. */
  readonly operators?: readonly string[];
  /** By name, if other than operator. */
  readonly roles?: Readonly<Record<string, Role>>;
  readonly settings?: Readonly<Record<string, string>>;
  /** Cuts clients that read nothing for so long. Default: half a minute. */
  readonly stallMs?: number;
}

export interface RunningLookout {
  readonly url: string;
  /** Has the file of operators. Default of DATA_DIR. */
  readonly folder: string;
  readonly app: RunningApp;
  readonly service: RunningService;
  readonly operators: readonly StoredOperator[];
  readonly dataDir: string;
  stop(): Promise<void>;
}

export async function startLookout({
  service: serviceSetting,
  operators = [],
  roles = {},
  settings,
  stallMs,
}: LookoutSetting = {}): Promise<RunningLookout> {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-e2e-'));
  const service = await startService(serviceSetting);
  const cleanUp = async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  };
  try {
    const accounts = await addOperators(
      { DATA_DIR: settings?.DATA_DIR ?? folder },
      operators.map((name) => ({ name, role: roles[name] ?? 'operator' })),
    );
    const app = await startApp(
      {
        POSITIONS_API_URL: service.baseUrl,
        ...(settings?.POSITIONS_API_KEY_FILE === undefined && { POSITIONS_API_KEY: service.apiKey }),
        ...(accounts.length === 0 && { POSITIONS_EMBEDDED: '1' }),
        DATA_DIR: folder,
        ...settings,
      },
      { stallMs },
    );
    return {
      url: app.url,
      folder,
      app,
      service,
      operators: accounts,
      dataDir: settings?.DATA_DIR ?? folder,
      async stop() {
        await app.stop();
        await cleanUp();
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}
