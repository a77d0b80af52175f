'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type WallTurns, wallQuery } from '#lib/api/wall-address.ts';
import { useIsTabVisible } from '#lib/client/browser/use-tab-visible.ts';
import { browserNow } from '#lib/client/live/server-clock.ts';
import { openLink } from '#lib/client/page/address-bar.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { fetchLookout } from '#lib/client/request/fetch-lookout.ts';
import { viewsQuery } from '#lib/client/views/views-query.ts';
import { epochMs, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

// A wall runs for weeks without a person: what keeps it going, and what brings it back.

/** A longer time between two beats: the machine slept, or its clock was set. */
const JUMP_MS = 5000;

/**
 * The wall's one clock: at each full second it draws the picture, and everything else that the wall shows follows from that.
 * After a sleep it reads everything again at once, also what still waits for an answer from before.
 */
export function useBeat(): void {
  const { feed } = useLookout();
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let before = browserNow();
    const beat = () => {
      const now = browserNow();
      if (Math.abs(msBetween(before, now)) > JUMP_MS) void queries.invalidateQueries();
      before = now;
      feed.age();
      timer = setTimeout(beat, SECOND_MS - (epochMs(feed.presumedNow()) % SECOND_MS));
    };
    beat();
    return () => clearTimeout(timer);
  }, [feed, queries]);
}

/** Loads the page again once it has failed for a minute and the server answers: a failure of the page itself may last. */
export function useReloadAfterFailure(hasFailed: boolean): void {
  useEffect(() => {
    if (!hasFailed) return;
    const timer = setInterval(() => {
      // A browser that loads a page of a silent server never comes back.
      fetchLookout(window.location.href).then(
        () => window.location.reload(),
        () => undefined,
      );
    }, MINUTE_MS);
    return () => clearInterval(timer);
  }, [hasFailed]);
}

export type ScreenLock = 'asked' | 'held' | 'insecure' | 'missing' | 'refused';

export const SCREEN_LOCK_TEXT: Readonly<Record<ScreenLock, string>> = {
  asked: '',
  held: 'The browser keeps this screen on.',
  insecure: 'The screen may go dark: browsers keep it on over HTTPS alone.',
  missing: 'The screen may go dark: this browser cannot keep it on.',
  refused: 'The screen may go dark: the browser refused to keep it on.',
};

/** Keeps the screen on while the tab is visible. The browser may refuse, or end it: it is then requested each minute. */
export function useScreenLock(): ScreenLock {
  const isVisible = useIsTabVisible();
  const [state, setState] = useState<ScreenLock>('asked');
  useEffect(() => {
    if (!isVisible) return;
    const { wakeLock } = navigator as { readonly wakeLock?: WakeLock };
    if (!wakeLock) {
      setState(window.isSecureContext ? 'missing' : 'insecure');
      return;
    }
    let lock: WakeLockSentinel | undefined;
    let hasLeft = false;
    const ask = async () => {
      if (lock?.released === false) return;
      try {
        lock = await wakeLock.request('screen');
        if (hasLeft) return await lock.release();
        setState('held');
        lock.addEventListener('release', () => !hasLeft && setState('refused'));
      } catch {
        if (!hasLeft) setState('refused');
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), MINUTE_MS);
    return () => {
      hasLeft = true;
      clearInterval(timer);
      void lock?.release().catch(() => undefined);
    };
  }, [isVisible]);
  return state;
}

/** Saved views may be changed elsewhere. */
const VIEWS_AGAIN_MS = 5 * MINUTE_MS;

export interface Turn {
  /** Name of the view shown; `undefined` while it is not known. */
  readonly name: string | undefined;
  /** From 1. */
  readonly place: number;
  readonly count: number;
  /** Views of the address that are no longer there, or not for this account. */
  readonly missing: number;
  readonly queries: readonly string[];
}

/**
 * Shows saved views in turn. Each turn moves the demand of this page to another place.
 * @param isHeld no turn is made: a place that was not read would look empty
 * @returns `undefined` for a wall of one view
 */
export function useTurns({ views, everyS }: WallTurns, isHeld: boolean): Turn | undefined {
  const lookout = useLookout();
  const isWanted = views.length > 0;
  const { data } = useQuery({ ...viewsQuery(), enabled: isWanted, refetchInterval: VIEWS_AGAIN_MS });
  const saved = views.flatMap((id) => data?.views.find((view) => view.id === id) ?? []);
  const [turn, setTurn] = useState(0);
  const count = saved.length;
  const shown = saved[turn % Math.max(1, count)];
  const query = shown?.query;

  useEffect(() => {
    if (count < 2 || isHeld) return;
    const timer = setInterval(() => setTurn((before) => before + 1), everyS * SECOND_MS);
    return () => clearInterval(timer);
  }, [count, isHeld, everyS]);

  useEffect(() => {
    if (query !== undefined) openLink(lookout, wallQuery(query));
  }, [lookout, query]);

  if (!isWanted) return undefined;
  return {
    name: shown?.name,
    place: (turn % Math.max(1, count)) + 1,
    count,
    missing: data ? views.length - count : 0,
    queries: saved.map((view) => view.query),
  };
}

const POINTER_SHOWN_MS = 4000;

/** Whether a pointer moved a moment ago: a wall shows none otherwise. */
export function useIsPointerUsed(): boolean {
  const [isUsed, setUsed] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onUse = ({ type, movementX, movementY }: PointerEvent) => {
      // A still pointer over a changed page moves by nothing.
      if (type === 'pointermove' && movementX === 0 && movementY === 0) return;
      setUsed(true);
      clearTimeout(timer);
      timer = setTimeout(() => setUsed(false), POINTER_SHOWN_MS);
    };
    window.addEventListener('pointermove', onUse);
    window.addEventListener('pointerdown', onUse);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pointermove', onUse);
      window.removeEventListener('pointerdown', onUse);
    };
  }, []);
  return isUsed;
}
