import 'server-only';
import Bowser from 'bowser';

const AGENT_MAX_CHARACTERS = 512;
const NAME_MAX_CHARACTERS = 40;

export function browserName(userAgent: string | null): string {
  if (!userAgent) return 'unknown browser';
  const { browser, os } = Bowser.parse(userAgent.slice(0, AGENT_MAX_CHARACTERS));
  const [family, system] = [browser.name, os.name].map(plain);
  if (family && system) return `${family} on ${system}`;
  return family || system || 'unknown browser';
}

/** `Blink, Chrome 142`: what a defect of a page depends on. */
export function browserEngine(userAgent: string | null): string {
  if (!userAgent) return 'unknown engine';
  const { browser, engine } = Bowser.parse(userAgent.slice(0, AGENT_MAX_CHARACTERS));
  const major = /^\d{1,4}/.exec(browser.version ?? '')?.[0];
  const name = [plain(browser.name), major].filter(Boolean).join(' ');
  return [plain(engine.name), name].filter(Boolean).join(', ') || 'unknown engine';
}

/** Keeps only letters, digits and a few signs of a name, since programs choose it. */
function plain(name: string | undefined): string {
  return (name ?? '')
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, '')
    .trim()
    .slice(0, NAME_MAX_CHARACTERS);
}
