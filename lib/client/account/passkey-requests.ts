import { assertionOptionsSchema, attestationOptionsSchema } from '#lib/api/people/passkey.ts';
import { LookoutRequestError, PASSKEY_NOT_USED, sendToLookout } from '../request/fetch-lookout.ts';
import { requestJson } from '../request/request-json.ts';

const webauthn = () => import('@simplewebauthn/browser');

const SAID: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: it was cancelled, took too long, or there is none of yours here.',
  InvalidStateError: 'There is a passkey of yours on this device already.',
  SecurityError: 'The browser does not allow passkeys at this address.',
};

/** @throws LookoutRequestError if nothing was signed */
async function inWords<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const cause = error instanceof Error ? error : undefined;
    const said = SAID[cause?.name ?? ''] ?? 'This browser could not use a passkey.';
    throw new LookoutRequestError('refused', { code: PASSKEY_NOT_USED, said, cause });
  }
}

async function signedBy(optionsAddress: string) {
  const optionsJSON = await requestJson('POST', optionsAddress, assertionOptionsSchema);
  return inWords(async () => (await webauthn()).startAuthentication({ optionsJSON }));
}

export async function signInByPasskey(kept: boolean): Promise<void> {
  const passkey = await signedBy('/api/session/passkey/options');
  try {
    await sendToLookout('POST', '/api/session/passkey', { passkey, kept });
  } catch (error) {
    if (!(error instanceof LookoutRequestError && error.code === 'sign_in_refused')) throw error;
    const said = 'This passkey is not accepted. It may have been removed: use another way in, or ask an admin.';
    throw new LookoutRequestError('refused', { code: PASSKEY_NOT_USED, said, cause: error });
  }
}

export async function confirmByPasskey(): Promise<void> {
  await sendToLookout('POST', '/api/account/confirmation', {
    passkey: await signedBy('/api/account/confirmation/options'),
  });
}

/** @throws LookoutRequestError */
export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = await requestJson('POST', '/api/account/passkeys/options', attestationOptionsSchema);
  const passkey = await inWords(async () => (await webauthn()).startRegistration({ optionsJSON }));
  await sendToLookout('POST', '/api/account/passkeys', { name, passkey });
}
