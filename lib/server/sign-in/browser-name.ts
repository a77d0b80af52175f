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

/** Programs choose their name. */
function plain(name: string | undefined): string {
  return (name ?? '')
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, '')
    .trim()
    .slice(0, NAME_MAX_CHARACTERS);
}
