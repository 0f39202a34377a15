! SPDX-License-Identifier: Apache-2.0
! Heat on a rod, in Fortran: gfortran $(spanloom flags fortran) heat.f90 -o heat && spanloom run -- ./heat
program heat
  use spanloom_trace
  implicit none
  integer, parameter :: cells = 200000, steps = 200, every = 50
  double precision, allocatable :: u(:), next(:)
  double precision :: change
  type(sl_site), save :: solving, stepping
  integer :: i, n

  call sl_begin('load')
  allocate (u(cells), next(cells))
  u = [(sin(i*1d-3), i=1, cells)]
  next = u
  call sl_end('load')

  call sl_begin(solving, 'solve')
  do n = 1, steps
    call sl_begin(stepping, 'step')
    next(2:cells - 1) = u(2:cells - 1) + 0.25d0*(u(1:cells - 2) - 2*u(2:cells - 1) + u(3:cells))
    change = maxval(abs(next - u))
    u = next
    call sl_end(stepping)
    if (mod(n, every) == 0) then
      call sl_begin('report')
      call sl_arg('step', n)
      call sl_arg('change', change)
      call sl_counter('change', change)
      print '(a, i4, a, es10.3)', 'step', n, ': the largest change is', change
      call sl_end('report')
    end if
  end do
  call sl_end(solving)
end program heat
