import 'server-only';
import type { SignInProblem } from '#lib/api/people/sign-in-problem.ts';

export function signInPage(next: string, problem?: SignInProblem): Response {
  const query = new URLSearchParams({ ...(problem && { problem }), next });
  return new Response(null, { status: 303, headers: { location: `/sign-in?${query}` } });
}
