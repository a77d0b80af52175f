import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigResult, readConfig } from '#lib/server/settings/config.ts';
import { embeddedProblems, embeddedReceivers, isRecording, receiversSocket } from '../setup/embedded-service.ts';
import { type ListenSettings, listenSettings } from './server-program.ts';

export interface StartSettings {
  readonly listen: ListenSettings;
  readonly config: ConfigResult;
  /** Why a start is refused. */
  readonly problems: readonly string[];
}

/** @param environment to which it adds what the embedded service needs, where that is used */
export function readStart(root: string, environment: NodeJS.ProcessEnv): StartSettings {
  const settings = { ...environment };
  const usesEmbedded = !settings.POSITIONS_API_URL?.trim();
  const receivers = embeddedReceivers(settings);
  delete environment.POSITIONS_EMBEDDED;
  delete environment.POSITIONS_ALLOWANCE;
  if (usesEmbedded) {
    // Placeholders, to check settings before the slow set-up; the service replaces them.
    Object.assign(environment, {
      POSITIONS_EMBEDDED: isRecording(settings) ? 'recording' : '1',
      POSITIONS_ALLOWANCE: 'none',
      POSITIONS_API_URL: 'http://127.0.0.1/v1',
      POSITIONS_API_KEY: 'made-at-start',
    });
    delete environment.POSITIONS_API_KEY_FILE;
    if (receivers !== undefined) environment.RECEIVERS_SOCKET = receiversSocket(settings);
  }
  const listen = listenSettings(environment);
  const config = readConfig(environment);
  const problems = [
    ...(listen.ok ? [] : listen.problems),
    ...(config.ok ? [] : config.problems),
    ...(usesEmbedded ? embeddedProblems(settings) : []),
    ...(usesEmbedded && settings.DATABASE_URL?.trim()
      ? ['DATABASE_URL is for several servers with one upstream: set POSITIONS_API_URL, or leave out DATABASE_URL']
      : []),
    ...(receivers !== undefined && settings.RECEIVERS_SOCKET?.trim()
      ? ['RECEIVERS_SOCKET is for a service that runs apart: leave it out, or leave out RECEIVERS']
      : []),
    ...(usesEmbedded || receivers === undefined
      ? []
      : ['RECEIVERS is for the embedded service: leave it out, or leave out POSITIONS_API_URL']),
    ...(settings.DATA_DIR?.trim() || canKeepData(root)
      ? []
      : [`DATA_DIR is not set, and ${root} cannot be written: set it to a folder for data, such as /var/lib/lookout`]),
  ];
  return { listen, config, problems };
}

/** Whether data can be kept in the folder `data`, the default. */
function canKeepData(root: string): boolean {
  const data = join(root, 'data');
  try {
    accessSync(existsSync(data) ? data : root, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
