'use client';

import { useSyncExternalStore } from 'react';
import { COOKIES_NEEDED } from './sign-in-text.ts';

const noChange = () => () => {};

/** Before anything is typed, where the browser says that it keeps no cookies. */
export function CookieNote() {
  const hasCookies = useSyncExternalStore(
    noChange,
    () => navigator.cookieEnabled,
    () => true,
  );
  return (
    <p role="alert" className="text-bad empty:hidden">
      {!hasCookies && COOKIES_NEEDED}
    </p>
  );
}
