// The precompiled standard headers (FrondTargets.cmake) belong to the library that this file makes.
