import { pick } from './pick'
import { render } from './render'
import { now } from './time'

export const tools = [render, pick, now]
