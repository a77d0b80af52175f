import { runtime } from '#lib/server/runtime.ts';
import { viewerIfKnown } from '#lib/server/session-cookie.ts';
import { redirect } from 'next/navigation';
import { ProviderSignIn } from '#components/sign-in/provider-sign-in.tsx';
import { SignInForm } from '#components/sign-in/sign-in-form.tsx';
import { signInProblemText } from '#components/sign-in/sign-in-problem-text.ts';
import { Brand } from '#components/ui/brand.tsx';
import { CoverageNotice } from '#components/ui/coverage-notice.tsx';
import { signInProblem } from '#lib/api/people/sign-in-problem.ts';
import { returnPath } from '#lib/api/return-path.ts';
import { readLoginCookie } from '#lib/server/login-cookie.ts';

export const metadata = { title: 'Sign in · Lookout' };

/** How long the page waits for a provider that is not known yet. */
const PROVIDER_WAIT_MS = 1000;

type Parameter = string | string[] | undefined;

interface SignInPageProps {
  readonly searchParams: Promise<{ readonly next?: Parameter; readonly problem?: Parameter }>;
}

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const parameters = await searchParams;
  const next = returnPath([parameters.next ?? []].flat()[0]);
  const viewer = await viewerIfKnown();
  if (viewer !== undefined && viewer !== 'unknown') redirect(next);
  const problem = viewer === 'unknown' ? 'shared_store' : signInProblem([parameters.problem ?? []].flat()[0]);
  const { config, sessions } = runtime();
  const sso = sessions?.singleSignOn;
  const hasPasswords = config.operatorsFile !== undefined;
  const hasPasskeys = sessions?.operators.all().some(({ passkeys }) => passkeys.length > 0);
  const passkeyOrigin = hasPasskeys && 'origin' in config.relyingParty ? config.relyingParty.origin : undefined;
  return (
    // Rendered on the server: a style attribute would be blocked by the CSP.
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-[min(340px,100%)] flex-col gap-4 rounded-card border border-line bg-surface p-6">
        <Brand />
        <h1 className="text-dim">Sign in to see received positions.</h1>
        {sso && (
          <ProviderSignIn
            provider={sso.providerHost}
            hasPasswords={hasPasswords}
            isReachable={await sso.isReachable(PROVIDER_WAIT_MS)}
            // At the address that the provider sends people back to: the browser's cookie for that is kept for one host.
            address={`${config.publicOrigin}/sign-in/oidc?${new URLSearchParams({ next })}`}
            endSessionAddress={sso.endSessionUrl?.href}
            problem={problem}
            refusedName={await sso.refusedName(await readLoginCookie())}
          />
        )}
        {!sso && problem === 'shared_store' && (
          <p role="alert" className="text-bad">
            {signInProblemText(problem, '', undefined)}
          </p>
        )}
        {sso && hasPasswords && <p className="text-caption text-dim">Or with a password:</p>}
        {hasPasswords && (
          <SignInForm next={next} passkeyOrigin={passkeyOrigin} requirePasskeys={config.requirePasskeys} />
        )}
        <CoverageNotice />
      </div>
    </main>
  );
}
