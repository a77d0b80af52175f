import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { PageHelp } from '#components/shell/page-help.tsx';
import { ProviderSignIn } from '#components/sign-in/provider-sign-in.tsx';
import { signInProblemText } from '#components/sign-in/sign-in-text.ts';
import { Brand } from '#components/ui/brand.tsx';
import { CoverageNotice } from '#components/ui/coverage-notice.tsx';
import { RETURN_PATH_HEADER, returnPath } from '#lib/api/people/return-path.ts';
import { signInView } from '#lib/server/routes/sign-in-view.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { CookieNote, SignInForm } from '../../components/sign-in/sign-in-form.tsx';

export const metadata = { title: 'Sign in · Lookout' };

type Parameter = string | string[] | undefined;

interface SignInPageProps {
  readonly searchParams: Promise<{ readonly next?: Parameter; readonly problem?: Parameter }>;
}

/** The page is cached for every visitor: it must show nothing else of the request. */
export default async function SignInPage({ searchParams }: SignInPageProps) {
  const [parameters, sent] = await Promise.all([searchParams, headers()]);
  const [problem] = [parameters.problem ?? []].flat();
  const view = await signInView(sent.get('cookie') ?? '', sent.get('host') ?? '', problem);
  if (!view) redirect(returnPath(sent.get(RETURN_PATH_HEADER) ?? [parameters.next ?? []].flat()[0]));
  const { provider, hasPasswords, passkeyOrigin, requirePasskeys } = view;
  return (
    // The page is rendered on the server: the CSP would block a style attribute.
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-[min(340px,100%)] flex-col gap-4 rounded-card border border-line bg-surface p-6">
        <div className="flex items-center justify-between gap-4">
          <Brand />
          <PageHelp version={LOOKOUT_VERSION} path="/sign-in" />
        </div>
        <h1 className="text-dim">Sign in to see received positions.</h1>
        <CookieNote />
        {provider && <ProviderSignIn {...provider} hasPasswords={hasPasswords} problem={view.problem} />}
        {!provider && view.problem === 'database' && (
          <p role="alert" className="text-bad">
            {signInProblemText(view.problem, '', undefined)}
          </p>
        )}
        {provider && hasPasswords && <p className="text-caption text-dim">Or with a password:</p>}
        {hasPasswords && <SignInForm passkeyOrigin={passkeyOrigin} requirePasskeys={requirePasskeys} />}
        <CoverageNotice />
      </div>
    </main>
  );
}
