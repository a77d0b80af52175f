import 'server-only';
import type { Migration } from './migration.ts';

/** Browsers of people that receive alarms by Web Push. */
export const pushSubscriptions: Migration = {
  name: '0014-push-subscriptions',
  statements: ({ text, integer, end }) => [
    `create table push_subscription (
    id ${text} primary key,
    revision ${integer} not null,
    owner ${text} not null,
    session_key ${text} not null,
    source ${text} not null,
    credential_digest ${text} not null,
    person ${text},
    ends_ms ${integer},
    browser ${text} not null,
    endpoint ${text} not null,
    p256dh ${text} not null,
    auth ${text} not null,
    choices ${text} not null,
    made_ms ${integer} not null
  ) ${end}`,
    `create unique index push_subscription_endpoint on push_subscription (endpoint)`,
  ],
};
