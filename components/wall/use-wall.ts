'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
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

/** Loads the page again after a minute, once the server answers: a failure of the page itself may last. */
export function ReloadLater() {
  useEffect(() => {
    const timer = setInterval(() => {
      // A browser that loads a page of a silent server never comes back.
      fetchLookout(window.location.href).then(
        () => window.location.reload(),
        () => undefined,
      );
    }, MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return null;
}

/**
 * Keeps the screen on while the tab is visible. The browser may refuse, or end it: it is requested each minute.
 * @returns why the screen may go dark
 */
export function useScreenLock(): string | undefined {
  const isVisible = useIsTabVisible();
  const [text, setText] = useState<string>();
  useEffect(() => {
    if (!isVisible) return;
    const { wakeLock } = navigator as { readonly wakeLock?: WakeLock };
    let lock: WakeLockSentinel | undefined;
    let hasLeft = false;
    const keepOn = async () => {
      if (lock?.released === false) return;
      lock = await wakeLock?.request('screen').catch(() => undefined);
      if (hasLeft) return lock?.release();
      const why = window.isSecureContext ? 'the browser does not keep it on.' : 'browsers keep it on over HTTPS alone.';
      setText(lock ? undefined : `The screen may go dark: ${why}`);
    };
    void keepOn();
    const timer = setInterval(() => void keepOn(), MINUTE_MS);
    return () => {
      hasLeft = true;
      clearInterval(timer);
      void lock?.release();
    };
  }, [isVisible]);
  return text;
}

/** Saved views may be changed elsewhere. */
const VIEWS_AGAIN_MS = 5 * MINUTE_MS;

/**
 * Shows saved views in turn. Each turn moves the demand of this page to another place.
 * @param isHeld no turn is made: a place that was not read would look empty
 * @returns which view is shown, and how many of the address are not there, or not for this account
 */
export function useTurns({ views, everyS }: WallTurns, isHeld: boolean): readonly string[] {
  const lookout = useLookout();
  const { data } = useQuery({ ...viewsQuery(), enabled: views.length > 0, refetchInterval: VIEWS_AGAIN_MS });
  const saved = views.flatMap((id) => data?.views.find((view) => view.id === id) ?? []);
  const [turn, setTurn] = useState(0);
  const count = saved.length;
  const place = turn % Math.max(1, count);
  const shown = saved[place];
  const query = shown?.query;

  useEffect(() => {
    if (count < 2 || isHeld) return;
    const timer = setInterval(() => setTurn((before) => before + 1), everyS * SECOND_MS);
    return () => clearInterval(timer);
  }, [count, isHeld, everyS]);

  useEffect(() => {
    if (query !== undefined) openLink(lookout, wallQuery(query));
  }, [lookout, query]);

  const gone = data ? views.length - count : 0;
  return [
    ...(shown ? [count > 1 ? `${shown.name} · ${place + 1} of ${count}` : shown.name] : []),
    ...(gone > 0 ? [gone === 1 ? '1 saved view is no longer there' : `${gone} saved views are no longer there`] : []),
  ];
}

const POINTER_SHOWN_MS = 4000;

/** Whether a pointer moved a moment ago: a wall shows none otherwise. */
export function useIsPointerUsed(): boolean {
  const [isUsed, setUsed] = useState(false);
  useEffect(() => {
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onUse = ({ type, movementX, movementY }: PointerEvent) => {
      // A still pointer over a changed page moves by nothing.
      if (type === 'pointermove' && movementX === 0 && movementY === 0) return;
      setUsed(true);
      clearTimeout(timer);
      timer = setTimeout(() => setUsed(false), POINTER_SHOWN_MS);
    };
    for (const type of ['pointermove', 'pointerdown'] as const) window.addEventListener(type, onUse, end);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, []);
  return isUsed;
}

/** Heights of the map at scale 1, in CSS pixels: marks have the same part of any screen. */
const MAP_HEIGHT_PX = 540;

/** How many times larger the map is shown than on a desk. */
export function useScale(): number {
  return useSyncExternalStore(onResize, () => {
    const { innerWidth, innerHeight } = window;
    return Math.max(1, Math.min(innerHeight, (innerWidth * 9) / 16) / MAP_HEIGHT_PX);
  });
}

function onResize(changed: () => void): () => void {
  window.addEventListener('resize', changed);
  return () => window.removeEventListener('resize', changed);
}
