package qdrant

// Version is the Qdrant whose answers this server gives.
const Version = "1.17.1"
