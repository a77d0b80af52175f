import { type PushChoices, pushIdSchema } from '#lib/api/people/push.ts';
import { LookoutRequestError } from '../request/fetch-lookout.ts';
import { requestJson } from '../request/request-json.ts';

/** Whether this browser can receive alarms by push, or why it cannot. */
export type PushAbility = 'able' | 'blocked' | 'not-encrypted' | 'not-installed' | 'unable';

export function pushAbility(): PushAbility {
  if (!window.isSecureContext) return 'not-encrypted';
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)
    return Notification.permission === 'denied' ? 'blocked' : 'able';
  // Only Safari on iPhone and iPad has this, and push in the installed app alone.
  return 'standalone' in navigator ? 'not-installed' : 'unable';
}

/** @param key of the server @throws LookoutRequestError */
export async function switchOnPush(key: string, choices: PushChoices): Promise<void> {
  const { endpoint, keys } = (await subscribed(key)).toJSON();
  await requestJson('POST', '/api/account/push', pushIdSchema, { body: { endpoint, keys, choices } });
}

async function subscribed(key: string): Promise<PushSubscription> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new LookoutRequestError('refused', { said: 'The browser does not allow notifications.' });
  try {
    await navigator.serviceWorker.register('/worker.js');
    const { pushManager } = await navigator.serviceWorker.ready;
    // One of another key cannot be used again.
    await (await pushManager.getSubscription())?.unsubscribe();
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (cause) {
    const said = 'This browser could not subscribe at its push service.';
    throw new LookoutRequestError('refused', { said, cause });
  }
}

async function ownSubscription(): Promise<PushSubscription | null> {
  if (pushAbility() !== 'able') return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** The id of this browser's subscription, which is bound to the session of this page; null: it has none. */
export async function pushHere(): Promise<string | null> {
  const own = await ownSubscription();
  if (!own) return null;
  const body = { endpoint: own.endpoint };
  return (await requestJson('PUT', '/api/account/push', pushIdSchema, { body })).id;
}

/** Ends the browser's subscription at its push service, of whichever person it is. */
export async function forgetPush(): Promise<void> {
  await (await ownSubscription())?.unsubscribe();
}
