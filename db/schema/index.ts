export * from './people'
export * from './platform'
export * from './workflows'
