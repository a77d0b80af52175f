import type { LiveFeed } from './live-feed.ts';

/** The shortest poll interval plus jitter: an answer ages the tracks by itself. */
const AFTER_ANSWER_MS = 1500;
const EVERY_MS = 1000;

export function ageWithoutAnswers(feed: LiveFeed): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let answered = feed.latest;
  const wait = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(age, ms);
  };
  const age = () => {
    feed.age();
    wait(EVERY_MS);
  };
  const stop = feed.subscribe(() => {
    if (feed.latest === answered) return;
    answered = feed.latest;
    wait(AFTER_ANSWER_MS);
  });
  wait(EVERY_MS);
  return () => {
    stop();
    clearTimeout(timer);
  };
}
