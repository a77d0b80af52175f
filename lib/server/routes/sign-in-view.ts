import 'server-only';
import { type SignInProblem, signInProblem } from '#lib/api/people/sign-in-problem.ts';
import { runtime } from '../runtime.ts';
import { loginCookies } from './sealed-cookies.ts';
import { viewerIfKnown } from './viewer.ts';

const PROVIDER_WAIT_MS = 1000;

/** Equal views share one page. */
export interface SignInView {
  readonly problem: SignInProblem | undefined;
  readonly provider:
    | {
        readonly host: string;
        readonly isReachable: boolean;
        readonly address: string;
        readonly endSessionAddress: string | undefined;
        readonly refusedName: string | undefined;
      }
    | undefined;
  readonly hasPasswords: boolean;
  readonly passkeyOrigin: string | undefined;
  readonly requirePasskeys: boolean;
}

/** @returns `undefined` for a signed-in visitor */
export async function signInView(
  cookies: string,
  host: string,
  problem: string | undefined,
): Promise<SignInView | undefined> {
  const viewer = await viewerIfKnown(cookies, host);
  if (viewer !== undefined && viewer !== 'unknown') return undefined;
  const { config, sessions } = runtime();
  const sso = sessions?.singleSignOn;
  const hasPasskeys = sessions?.operators.all().some(({ passkeys }) => passkeys.length > 0);
  return {
    problem: viewer === 'unknown' ? 'database' : signInProblem(problem),
    provider: sso && {
      host: sso.providerHost,
      isReachable: await sso.isReachable(PROVIDER_WAIT_MS),
      // On the host of the provider's redirect, as the cookie for it belongs to one host.
      address: `${config.publicOrigin}/sign-in/oidc`,
      endSessionAddress: sso.endSessionUrl?.href,
      refusedName: await sso.refusedName(loginCookies(cookies)),
    },
    hasPasswords: (sessions?.operators.all().length ?? 0) > 0,
    passkeyOrigin: hasPasskeys && 'origin' in config.relyingParty ? config.relyingParty.origin : undefined,
    requirePasskeys: config.requirePasskeys,
  };
}

/** `undefined` for a signed-in visitor. */
export async function signInState(
  { cookies, host }: { readonly cookies: string; readonly host: string },
  query: URLSearchParams,
): Promise<{ readonly key: string; readonly target: string } | undefined> {
  const view = await signInView(cookies, host, query.get('problem') ?? undefined);
  const shown = view?.problem && query.has('problem') ? `?${new URLSearchParams({ problem: view.problem })}` : '';
  return view && { key: JSON.stringify(view), target: `/sign-in${shown}` };
}

export function signInPage(next: string, problem?: SignInProblem): Response {
  const query = new URLSearchParams({ ...(problem && { problem }), next });
  return new Response(null, { status: 303, headers: { location: `/sign-in?${query}` } });
}
