import { expect, test } from 'vitest';
import { startApp } from '../e2e/running/running-app.ts';

/** The shell ignores the arguments that follow. */
const instead = (script: string) => ({ within: ['/bin/sh', '-c', script] });

test('an app that ends during its start rejects with its output, although its child holds the output open', async () => {
  const ending = startApp({}, instead('echo cannot start >&2; sleep 20 & exit 3'));
  await expect(ending).rejects.toThrow('the app ended with 3:\ncannot start');
});

test('an app that is never ready rejects with its output', async () => {
  const stuck = startApp({}, { ...instead('echo waiting >&2; exec sleep 60'), startMaxMs: 300 });
  await expect(stuck).rejects.toThrow('the app was not ready after 300 ms:\nwaiting');
});
