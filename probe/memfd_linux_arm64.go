package probe

const sysMemfdCreate = 279
