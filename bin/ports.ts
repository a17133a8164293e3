import net from 'node:net'
import { Problem } from '@/db/problem'

/** Makes sure that the web server will be able to listen there. @throws {Problem} one sentence that says what to do */
export async function checkPort(port: number, host: string): Promise<void> {
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const server = net.createServer().once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
  if (failure?.code === 'EADDRINUSE') {
    throw new Problem(
      `Port ${port} is taken, perhaps by another Clew: stop that program, or choose another port, such as PORT=${port === 65_535 ? 3000 : port + 1} npm start.`,
    )
  }
  if (failure?.code === 'EACCES')
    throw new Problem(`Your user may not listen on port ${port}: choose one above 1023, such as PORT=3000 npm start.`)
  if (failure?.code === 'EADDRNOTAVAIL' || failure?.code === 'ENOTFOUND') {
    throw new Problem(`CLEW_HOST=${host} is not an address of this machine: leave it out for 127.0.0.1.`)
  }
  if (failure) throw failure
}
