import { redirect } from 'next/navigation';
import { SignInForm } from '#components/sign-in/sign-in-form.tsx';
import { returnPath } from '#lib/api/return-path.ts';
import { currentViewer } from '#lib/server/session-cookie.ts';

export const metadata = { title: 'Sign in · Lookout' };

interface SignInPageProps {
  readonly searchParams: Promise<{ readonly next?: string | string[] }>;
}

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const next = returnPath([(await searchParams).next ?? []].flat()[0]);
  if (await currentViewer()) redirect(next);
  return <SignInForm next={next} />;
}
