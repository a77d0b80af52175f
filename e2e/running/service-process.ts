import { createInterface } from 'node:readline';
import { z } from 'zod';
import { startChild } from './child-process.ts';

export interface ServiceProcess {
  readonly baseUrl: string;
  readonly apiKey: string;
  stop(): Promise<void>;
}

const readySchema = z.object({ base_url: z.string(), api_key: z.string() });

/** @param options of `serve`, without the port. @throws Error with its output */
export async function startServiceProcess(options: readonly string[]): Promise<ServiceProcess> {
  const child = startChild(['service/cli.ts', 'serve', '--port', '0', '--exit-with-parent', ...options], {}, [
    'pipe',
    'pipe',
    'pipe',
  ]);
  const { stdout } = child.process;
  if (!stdout) throw new Error('the service has no standard output');
  const ready = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: stdout }).once('line', resolve)),
    child.exited.then((code) => Promise.reject(new Error(`the service ended with ${code}:\n${child.stderr()}`))),
  ]);
  const { base_url: baseUrl, api_key: apiKey } = readySchema.parse(JSON.parse(ready));
  return { baseUrl, apiKey, stop: child.stop };
}
