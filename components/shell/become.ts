import { signIn } from 'next-auth/react'

/** Another person is another view of everything: the page is loaded anew, so that nothing of the last person stays. */
export async function become(userId: string, next = '/'): Promise<void> {
  await signIn('demo', { userId, redirect: false })
  window.location.assign(next)
}
